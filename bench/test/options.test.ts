// A mistake in the command line is told before anything is started.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chooses, choosesNothing } from "../src/names.js";

describe("npm run bench", () => {
  it("lists what there is and exits with 2 where --only chooses nothing", () => {
    const bench = fileURLToPath(new URL("..", import.meta.url));
    // The sources, as in every test: the packages may not be built yet.
    const args = ["src/main.ts", "--only", "zzz"];
    const run = spawnSync("node_modules/.bin/tsx", args, { cwd: bench, encoding: "utf8" });
    expect(run.status).toBe(2);
    expect(run.stdout).toBe("");
    expect(run.stderr).toBe(`${choosesNothing("zzz", ["memory", "redis"])}\n`);
  });

  it("chooses by any part of a name, on the stores that are asked for", () => {
    expect(choosesNothing("replay", ["memory", "redis"])).toBeUndefined();
    expect(choosesNothing("redis: lock", ["redis"])).toBeUndefined();
    expect(choosesNothing("redis: lock", ["memory"])).not.toContain("redis: dedup");
    expect(chooses("checker", "redis")).toBe(false);
  });
});
