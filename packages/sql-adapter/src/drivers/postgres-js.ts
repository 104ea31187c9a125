// The user's own `sql` of postgres.js, seen through the few members that are used of it.

import { ArgumentError } from "@onceproof/core/advanced";
import { isPreparedLost, sqlstate } from "../postgres/sqlstate.js";
import type { Columns } from "../shared/row.js";
import {
  ENDINGS,
  type Lent,
  onLoan,
  PreparedLost,
  type Reply,
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

/** What its answers say beside their rows: the process that the connection was told of. */
interface Told {
  readonly command?: string | null;
  readonly state?: { readonly pid?: number };
}

/**
 * The rows of an answer; one that the server has not ended must not pass for one without rows.
 *
 * If a connection is lost between rows, postgres.js (3.4) goes on counting from there on the next one:
 * its first answer begins with as many holes, behind which it is whole.
 */
function answered(given: unknown): Columns[] {
  const { command, state } = given as Told;
  if (typeof command !== "string") {
    throw new Error("the connection was lost before the server answered");
  }
  const rows = given as Columns[];
  return rows.length === 0 || 0 in rows
    ? rows
    : Object.assign(
        rows.filter(() => true),
        { command, state },
      );
}

/** Whether statements are prepared; given up for good where they got lost. */
export interface Naming {
  prepare(): boolean;
  giveUp(): void;
}

const direct = new WeakMap<PostgresJs, boolean>();

/**
 * Whether nothing stands between a client and its server; false until that is known.
 *
 * Behind a pooler that lends by transaction, statements that postgres.js (3.4) has prepared get
 * lost, and of several on one connection some then never settle, whatever becomes of the others. A
 * pooler tells its clients of a process that is not the one which answers.
 * Cost: 1 statement for each client.
 */
function isDirect(sql: PostgresJs): boolean {
  const known = direct.get(sql);
  if (known === undefined) {
    direct.set(sql, false);
    const asked = sql.unsafe("SELECT pg_backend_pid() AS pid", [] as never, { prepare: false });
    asked.then(
      (rows) => {
        const [row] = rows as readonly Columns[];
        direct.set(sql, Number(row?.pid) === (rows as Told).state?.pid);
      },
      () => direct.delete(sql),
    );
  }
  return known ?? false;
}

/** Builds what one store knows about preparing statements on a client. */
export function namingOn(sql: PostgresJs, prepare: boolean): Naming {
  let wanted = prepare;
  return {
    prepare: () => wanted && isDirect(sql),
    giveUp() {
      wanted = false;
    },
  };
}

/** What postgres.js (3.4) keeps of a query: sending it sets `state`, and the server is at work on the active one. */
interface Waiting {
  readonly state?: unknown;
  readonly active?: unknown;
}

/**
 * Takes back a query that is not sent yet; the server is told to end one that it works on, so that it
 * does not linger.
 *
 * A connection that is being opened for a query is lost to the client if that was taken back: once open
 * it sends nothing, and so never becomes free. What it is to send is therefore replaced. One that was
 * sent behind another is left alone: postgres.js would give its answer to whatever comes behind it.
 */
function cancel(query: PostgresJsQuery): void {
  const { state, active } = query as Waiting;
  if (state !== null && active === false) {
    return;
  }
  Promise.resolve(query.cancel()).then(ignore, ignore);
  if (state === null) {
    Object.assign(query, { strings: ["SELECT 1"], args: [], cancelled: null });
  }
}

/** Sends one statement. */
export function sendOn(
  sql: PostgresJsSession,
  naming: Naming,
  { text }: Statement,
  values: readonly unknown[],
): Sent {
  const prepare = values.length > 0 && naming.prepare();
  const query = sql.unsafe(text, values as never, { prepare });
  const reply = Promise.resolve(query).then(
    (rows): Reply => ({ rows: answered(rows), insertId: 0 }),
    (error: unknown) => {
      if (prepare && isPreparedLost(sqlstate(error) ?? "")) {
        naming.giveUp();
        throw new PreparedLost("the server lost a prepared statement", { cause: error });
      }
      throw error;
    },
  );
  return { reply, abandon: () => cancel(query) };
}

/**
 * The sessions of postgres.js. One statement goes where postgres.js sends it: a connection that it
 * reserves could not be thrown away, and with `fetch_types: false` a new one is never lent.
 */
export function postgresJsSessions(sql: PostgresJs, prepare: boolean): Sessions {
  const naming = namingOn(sql, prepare);
  const loans = onLoan(async (): Promise<Lent> => {
    const reserved = await sql.reserve();
    let last: Sent = { reply: Promise.resolve({ rows: [], insertId: 0 }), abandon: ignore };
    let toldPid: number | undefined;
    return {
      id: reserved,
      session: {
        toldPid: () => toldPid,
        async send(statement, values) {
          last = sendOn(reserved, naming, statement, values);
          const reply = await last.reply;
          toldPid = (reply.rows as Told).state?.pid ?? toldPid;
          return reply;
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
          .then(() => sendOn(reserved, naming, ENDINGS.rollBack, []).reply)
          .then(() => reserved.release())
          .catch(ignore);
      },
    };
  });
  return {
    alone: (statement, values) => sendOn(sql, naming, statement, values),
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
