// A server's own wall clock in our hands: a small preloaded library (clock-shim.c), compiled into
// the server's folder, adds an offset that is read from a file beside it.
import { execFileSync } from "node:child_process";
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findCompiler } from "./find.mjs";
import { missing } from "./missing.js";

/** A server whose wall clock can be moved. */
export interface ClockControl {
  /** Moves the server's wall clock by so much, back if negative; its timers go on as before. */
  jumpClock(byMs: number): void;
  /** By how much the clock has been moved so far. */
  readonly clockOffsetMs: number;
}

/** What a server is started with so that its clock can be moved. */
export interface ClockShim extends ClockControl {
  /** Compiles the library and makes the offset's file, both in the server's folder. */
  prepare(folder: string): void;
  env(folder: string): Readonly<Record<string, string>>;
}

const LIBRARY = "clock-shim.so";
const OFFSET = "clock-offset";
const SOURCE = fileURLToPath(new URL("./clock-shim.c", import.meta.url));

/** Makes the shim of one server. Fails: Error if there is nothing to compile it with. */
export function createClockShim(): ClockShim {
  const reason = missing("clock-shim");
  const compiler = findCompiler();
  if (reason !== undefined || compiler === undefined) throw new Error(reason);
  let file: string | undefined;
  let offsetMs = 0;
  return {
    prepare(folder) {
      const output = join(folder, LIBRARY);
      execFileSync(compiler, ["-shared", "-fPIC", "-O2", "-o", output, SOURCE], { stdio: "pipe" });
      file = join(folder, OFFSET);
      writeFileSync(file, Buffer.alloc(8), { mode: 0o644 });
    },
    env: (folder) => ({
      LD_PRELOAD: join(folder, LIBRARY),
      ONCEPROOF_CLOCK_FILE: join(folder, OFFSET),
    }),
    jumpClock(byMs) {
      if (file === undefined) throw new Error("the server has not been started");
      offsetMs += byMs;
      const microseconds = Buffer.alloc(8);
      microseconds.writeBigInt64LE(BigInt(Math.round(offsetMs * 1000)));
      // In place: the server has this file mapped.
      const opened = openSync(file, "r+");
      writeSync(opened, microseconds, 0, 8, 0);
      closeSync(opened);
    },
    get clockOffsetMs() {
      return offsetMs;
    },
  };
}

/** Puts the clock's controls on a server, which stays the same object. */
export function withClock<Server extends object>(
  server: Server,
  shim: ClockShim,
): Server & ClockControl {
  return Object.defineProperties(server, {
    jumpClock: { value: shim.jumpClock },
    clockOffsetMs: { get: () => shim.clockOffsetMs },
  }) as Server & ClockControl;
}
