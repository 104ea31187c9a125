// A mistake in the command line is told before anything is started.
import { spawnSync } from "node:child_process";
import { type BuiltProgram, buildProgram } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooses, choosesNothing } from "../src/names.js";

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram({
    package: new URL("../", import.meta.url),
    entries: { main: "src/main.ts" },
  });
});
afterAll(() => program.remove());

const bench = (...options: readonly string[]) =>
  spawnSync(process.execPath, [program.file("main"), ...options], { encoding: "utf8" });

describe("npm run bench", () => {
  it("lists what there is and exits with 2 where --only chooses nothing", () => {
    const run = bench("--only", "zzz");
    expect(run.status).toBe(2);
    expect(run.stdout).toBe("");
    expect(run.stderr).toBe(`${choosesNothing("zzz", ["memory", "redis"])}\n`);
  });

  it("says what to do about a mistake", () => {
    for (const [options, advice] of [
      [["--store", "oracle"], "The stores are memory, redis, postgres, mariadb, sqlite"],
      [["--rows", "5"], "whole number from 100000 on, or 0 to leave this part out"],
      [["--only", "lock", "--markdown"], "leave out --only, or --markdown"],
    ] as const) {
      const run = bench(...options);
      expect(run.status).toBe(2);
      expect(run.stderr).toContain(advice);
    }
  });

  it("chooses by any part of a name, on the stores that are asked for", () => {
    expect(choosesNothing("replay", ["memory", "redis"])).toBeUndefined();
    expect(choosesNothing("redis: lock", ["redis"])).toBeUndefined();
    expect(choosesNothing("redis: lock", ["memory"])).not.toContain("redis: dedup");
    expect(chooses("checker", "redis")).toBe(false);
  });
});
