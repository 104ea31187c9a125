// A mistake in the command line is told before anything is started.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chooses, choosesNothing } from "../src/names.js";

const folder = fileURLToPath(new URL("..", import.meta.url));

function bench(...options: readonly string[]) {
  // The sources, as in every test: the packages may not be built yet.
  const args = ["src/main.ts", ...options];
  return spawnSync("node_modules/.bin/tsx", args, { cwd: folder, encoding: "utf8" });
}

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
