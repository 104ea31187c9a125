// The user's own PGlite, seen through the few members that are used of it. It is one connection in
// this process.

import type { Columns } from "../shared/row.js";
import { inTurn, type Sessions } from "../shared/session.js";
import type { Listen } from "./listen.js";

/** What is used of PGlite. */
export interface PgliteDatabase {
  readonly waitReady: Promise<void>;
  /** Where its files are; none in memory. */
  readonly dataDir?: string | undefined;
  query(text: string, values?: never): Promise<{ readonly rows: unknown[] }>;
  exec(text: string): Promise<unknown>;
  /** Runs a function in a transaction. */
  readonly transaction?: unknown;
  listen(channel: string, onPayload: (payload: string) => void): Promise<() => Promise<unknown>>;
}

/** Whether it lives in memory only. */
export function isInMemory({ dataDir }: PgliteDatabase): boolean {
  return dataDir === undefined || dataDir === "" || dataDir.startsWith("memory://");
}

/** The sessions of PGlite. */
export function pgliteSessions(database: PgliteDatabase): Sessions {
  return inTurn({
    async send({ text }, values) {
      const { rows } = await database.query(text, values as never);
      return { rows: rows as Columns[], insertId: 0 };
    },
  });
}

/** Listens within this process. */
export function pgliteListen(database: PgliteDatabase): Listen {
  return async (channel, onPayload) => {
    const stop = await database.listen(channel, onPayload);
    return () => void stop().catch(() => {});
  };
}
