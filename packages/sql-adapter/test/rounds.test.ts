// Rounds end with their deadline, also where its timer rings before its clock says so, as timers do.
import type { Runtime } from "@onceproof/core/advanced";
import { createSqliteStore, migrate } from "@onceproof/sql-adapter";
import { expect, test } from "vitest";
import { roundsUntil, withDeadline } from "../src/shared/rounds.ts";
import { openDatabase } from "./support/sqlite-driver.js";

/** Rings every timer a fraction of a microsecond early. */
function earlyRuntime(): Runtime {
  let nowMs = 0;
  let readings = 0;
  return {
    wallNow: () => nowMs,
    monotonicNow() {
      readings += 1;
      if (readings > 10_000) throw new Error("it never ends");
      return nowMs;
    },
    setTimer(callback, delayMs) {
      const atMs = nowMs + delayMs;
      const ring = (): void => {
        nowMs = Math.max(nowMs, atMs - 1e-4);
        callback();
      };
      const timer = setTimeout(ring, delayMs);
      return () => clearTimeout(timer);
    },
    randomBytes: (length) => new Uint8Array(length),
  };
}

test("a step that asks for another round for ever", async () => {
  const runtime = earlyRuntime();
  const rounds = withDeadline(runtime, 5, (deadline) =>
    roundsUntil(runtime, deadline, async () => undefined),
  );
  await expect(rounds).rejects.toMatchObject({ code: "unavailable" });
});

test("a transaction that waits for another writer for ever", async () => {
  const database = openDatabase(":memory:");
  await migrate(database);
  const store = createSqliteStore({ database, runtime: earlyRuntime(), operationTimeoutMs: 5 });
  database.exec("BEGIN IMMEDIATE");
  await expect(store.transaction(async () => {})).rejects.toMatchObject({ code: "contended" });
});
