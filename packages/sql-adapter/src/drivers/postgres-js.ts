// The user's own `sql` of postgres.js, seen through the few members that are used of it.

import { ArgumentError } from "@onceproof/core/advanced";
import { isPreparedLost, sqlstate } from "../postgres/sqlstate.js";
import type { Columns } from "../shared/row.js";
import {
  type Lent,
  onLoan,
  PreparedLost,
  type Reply,
  ROLLBACK,
  type Sent,
  type Sessions,
  type Statement,
} from "../shared/session.js";
import type { Listen } from "./listen.js";

/** A query of postgres.js under way. */
export interface PostgresJsQuery extends PromiseLike<unknown> {
  cancel(): unknown;
}

/** What is used of postgres.js, and of a connection that it reserves. */
export interface PostgresJsSession {
  unsafe(text: string, values: never, options: { readonly prepare: boolean }): PostgresJsQuery;
}

/** What is used of a connection that postgres.js reserves. */
export interface PostgresJsReserved extends PostgresJsSession {
  release(): void;
}

/** What is used of postgres.js. */
export interface PostgresJs extends PostgresJsSession {
  reserve(): Promise<PostgresJsReserved>;
  /** Runs a function in a transaction. */
  readonly begin?: unknown;
  listen(
    channel: string,
    onPayload: (payload: string) => void,
  ): Promise<{ unlisten(): Promise<void> }>;
}

/** What postgres.js is told to make of the names and values that the server answers with. */
interface Transform {
  readonly column?: { readonly from?: ((name: string) => string) | undefined };
  readonly value?: { readonly from?: ((value: unknown, column: object) => unknown) | undefined };
  readonly row?: { readonly from?: unknown };
}

/** By the numbers of their types; `postgres.camel` changes only JSON. */
const PROBES = [
  [16, true],
  [17, Buffer.from("a_b")],
  [20, "1"],
  [25, "a_b"],
] as const;

/**
 * Refuses a client that would hand over answers changed: nobody would notice but by wrong results.
 * If there are `names`, those that it leaves as they are will do.
 *
 * Fails: ArgumentError `optionInvalid`.
 */
export function checkTransform(sql: PostgresJs, names?: readonly string[]): void {
  const { options } = sql as PostgresJs & { readonly options?: { readonly transform?: Transform } };
  const { column, value, row } = options?.transform ?? {};
  const from = column?.from;
  const renames = from && (names === undefined || names.some((name) => from(name) !== name));
  const change = value?.from;
  const changes = change && PROBES.some(([type, probe]) => change(probe, { type }) !== probe);
  if (renames || changes || row?.from) {
    throw new ArgumentError(
      "optionInvalid",
      "client transforms the columns, values or rows of answers: give one of its own, without `transform`",
    );
  }
}

function ignore(): void {}

interface Naming {
  prepare: boolean;
}

function send(
  sql: PostgresJsSession,
  naming: Naming,
  { text }: Statement,
  values: readonly unknown[],
): Sent {
  const prepare = naming.prepare && values.length > 0;
  const query = sql.unsafe(text, values as never, { prepare });
  const reply = Promise.resolve(query).then(
    (rows): Reply => ({ rows: rows as Columns[], insertId: 0 }),
    (error: unknown) => {
      if (prepare && isPreparedLost(sqlstate(error) ?? "")) {
        naming.prepare = false;
        throw new PreparedLost("the server lost a prepared statement", { cause: error });
      }
      throw error;
    },
  );
  // A query that waits for a connection is not sent any more; the server is told to end one that
  // it works on, so that it does not linger.
  return { reply, abandon: () => void Promise.resolve(query.cancel()).then(ignore, ignore) };
}

/**
 * The sessions of postgres.js. One statement goes where postgres.js sends it: a connection that it
 * reserves could not be thrown away, and with `fetch_types: false` a new one is never lent.
 */
export function postgresJsSessions(sql: PostgresJs, prepare: boolean): Sessions {
  const naming = { prepare };
  const loans = onLoan(async (): Promise<Lent> => {
    const reserved = await sql.reserve();
    let last: Sent = { reply: Promise.resolve({ rows: [], insertId: 0 }), abandon: ignore };
    return {
      id: reserved,
      session: {
        send(statement, values) {
          last = send(reserved, naming, statement, values);
          return last.reply;
        },
      },
      giveBack(usable) {
        if (usable) {
          reserved.release();
          return;
        }
        last.abandon();
        // A connection that has ended gives its place back by itself; releasing it would put it
        // among those that are open.
        last.reply
          .catch((error: unknown) => {
            if (sqlstate(error) === undefined) throw error;
          })
          .then(() => send(reserved, naming, ROLLBACK, []).reply)
          .then(() => reserved.release())
          .catch(ignore);
      },
    };
  });
  return {
    alone: (statement, values) => send(sql, naming, statement, values),
    borrow: (deadline) => loans.borrow(deadline),
  };
}

/** Listens on the connection that postgres.js keeps for it, and renews by itself. */
export function postgresJsListen(sql: PostgresJs): Listen {
  return async (channel, onPayload) => {
    const { unlisten } = await sql.listen(channel, onPayload);
    return () => void unlisten().catch(ignore);
  };
}
