// A place where the tests of the user's own tables run, and what all such places share.
import {
  type ClientTables,
  type PgClient,
  type Row,
  requestLogSchema,
  type TransactionHandle,
} from "@onceproof/sql-adapter";
import type { ServerName, Verdict } from "@onceproof/test-servers";

/** A transaction of the user's: its handle, and how the user sends statements of their own. */
export interface UserTransaction {
  readonly tx: TransactionHandle;
  run(text: string): Promise<Row[]>;
}

export interface RunningArm {
  readonly dialect: "postgres" | "mysql" | "sqlite";
  readonly tables: ClientTables;
  run(text: string): Promise<Row[]>;
  /** Commits what `work` does, or rolls back what it throws from. */
  transaction<T>(work: (user: UserTransaction) => Promise<T>): Promise<T>;
  /** Whether transactions run beside each other; PGlite and this process' SQLite have one at a time. */
  readonly separate: boolean;
  /** A connection without a transaction, where there can be one. */
  outside?<T>(work: (tx: TransactionHandle) => Promise<T>): Promise<T>;
  /** The driver's pool as a client, for what stands between it and the helpers. */
  readonly pg?: PgClient;
  /** The texts of the statements that were sent since it was asked before; not by all drivers. */
  sent?(): string[];
  /** Tables behind a proxy, and what loses the next message that may apply something. */
  lossy?(): Promise<{ tables: ClientTables; lose(verdict: Verdict): void }>;
  stop(): Promise<unknown>;
}

export interface Arm {
  readonly name: string;
  readonly server?: ServerName;
  start(): Promise<RunningArm>;
}

const KEYS = `number varchar(20) NOT NULL, provider varchar(20) NOT NULL, payment varchar(20) NOT NULL,
  request varchar(40), balance bigint NOT NULL DEFAULT 0, note varchar(5), version bigint NOT NULL DEFAULT 0,
  fencing_token bigint, UNIQUE (number), UNIQUE (provider, payment), UNIQUE (request)`;
const STATES = "('new', 'paid', 'sent', 'lost')";

/** The user's tables: with a name and columns of their own, and states that are no plain text. */
export const TABLE = "shop orders";
export const LOG = "order log";

function schemaOf(dialect: RunningArm["dialect"]): string[] {
  const log = requestLogSchema(dialect, LOG);
  switch (dialect) {
    case "postgres":
      return [
        'DROP TABLE IF EXISTS "shop orders", "order log"',
        "DROP TYPE IF EXISTS state",
        `CREATE TYPE state AS ENUM ${STATES}`,
        `CREATE TABLE "shop orders" (id bigserial PRIMARY KEY, status state NOT NULL DEFAULT 'new', ${KEYS})`,
        log,
      ];
    case "mysql":
      return [
        "DROP TABLE IF EXISTS `shop orders`, `order log`",
        `CREATE TABLE \`shop orders\` (id bigint AUTO_INCREMENT PRIMARY KEY,
          status ENUM ${STATES} NOT NULL DEFAULT 'new', ${KEYS}) ENGINE = InnoDB`,
        log,
      ];
    case "sqlite":
      return [
        `CREATE TABLE "shop orders" (id INTEGER PRIMARY KEY, status TEXT NOT NULL DEFAULT 'new', ${KEYS})`,
        log,
      ];
  }
}

export async function withSchema(arm: RunningArm): Promise<RunningArm> {
  for (const text of schemaOf(arm.dialect)) await arm.run(text);
  return arm;
}

/** Keeps the texts that pass through a method. */
export function listenIn(
  target: object,
  method: string,
  texts: string[],
  text: (a: never) => string,
): void {
  const members = target as Record<string, (...args: unknown[]) => unknown>;
  const original = members[method] as (...args: unknown[]) => unknown;
  members[method] = function (this: unknown, ...args) {
    texts.push(text(args[0] as never));
    return original.apply(this, args);
  };
}

export function taking(texts: string[]): () => string[] {
  return () => texts.splice(0);
}

/** A transaction of the user's, from its begin to its end. */
export async function userTransaction<T>(
  begin: () => Promise<UserTransaction>,
  end: (user: UserTransaction) => unknown,
  work: (user: UserTransaction) => Promise<T>,
): Promise<T> {
  const user = await begin();
  try {
    const result = await work(user);
    await user.run("COMMIT");
    return result;
  } catch (error) {
    await user.run("ROLLBACK");
    throw error;
  } finally {
    await end(user);
  }
}
