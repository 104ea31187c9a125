// The program as a user meets it: flags, streams, exit codes, Ctrl-C.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "@onceproof/simulator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { choose, drawSeed, parseCli, UsageError } from "../src/cli-options.js";
import { shuffle } from "../src/disasters/webhook-replay.js";
import { buildProgram, type Ended, type Program } from "./support/program.js";

const ESCAPE = "\u001b";

let program: Program;
/** Where the runs of these tests take place. */
let folder: string;
beforeAll(async () => {
  program = await buildProgram();
  folder = await mkdtemp(join(tmpdir(), "onceproof-cli-"));
});
afterAll(async () => {
  await program.remove();
  await rm(folder, { recursive: true });
});

/** Starts the program; `onStderr` may talk to the running process. */
async function run(
  args: readonly string[],
  onStderr: (text: string, kill: (signal: NodeJS.Signals) => void) => void = () => {},
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const all = [...args, ...(args.includes("--store") ? [] : ["--file", join(folder, "runs.db")])];
  const started = program.start(all, env);
  let stderr = "";
  started.process.stderr?.on("data", (chunk) => {
    stderr += chunk;
    onStderr(stderr, (signal) => started.process.kill(signal));
  });
  return started.ended;
}

describe("the command line", () => {
  it("explains itself", async () => {
    const { code, stdout, stderr } = await run(["--help"]);
    expect(code).toBe(0);
    expect(stderr).toBe("");
    for (const part of ["--only", "--seed", "--json", "--payloads", "double-click", "130"]) {
      expect(stdout).toContain(part);
    }
  });

  it("refuses what makes no sense with 2 and one clear line", async () => {
    const { code, stdout, stderr } = await run(["--only", "earthquake"]);
    expect(stderr).toMatch(
      /^--only: there is no "earthquake"; there are double-click, .*\nSee --help.\n$/,
    );
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  it("refuses a file that cannot be opened with 2, and says what to do", async () => {
    const { code, stderr } = await run([
      "--only",
      "lost-reply",
      "--store",
      "sqlite",
      "--file=/no/f",
    ]);
    expect(stderr).toBe("--file: there is no folder /no: make it first\nSee --help.\n");
    expect(code).toBe(2);
  });

  it.each(["redis", "postgres", "mysql"])(
    "refuses a %s that cannot be reached with 2, before any disaster",
    async (scheme) => {
      const { code, stdout, stderr } = await run(["--store", `${scheme}://127.0.0.1:1/nowhere`]);
      expect(stderr).toMatch(/^--store: it cannot be used: .*ECONNREFUSED.*\nSee --help.\n$/);
      expect(stdout).toBe("");
      expect(code).toBe(2);
    },
  );

  it("refuses a directory that cannot be read with 2", async () => {
    const { code, stderr } = await run(["--payloads", "/nowhere"]);
    expect(stderr).toContain("--payloads: cannot read the directory /nowhere (ENOENT)");
    expect(code).toBe(2);
  });

  it.each([
    [["--colour"], "Unknown option '--colour'"],
    [["--seed"], "argument missing"],
    [["--seed", "4294967296"], "--seed must be a whole number"],
    [["--seed", "1e3"], "--seed must be a whole number"],
    [["--seed", ""], "--seed must be a whole number"],
    [["--buyers", "15"], "--buyers must be 10, 20, and so on up to 1000"],
    [["--buyers", "00"], "--buyers must be 10, 20, and so on up to 1000"],
    [["double-click"], "Unexpected argument 'double-click'"],
    [["--store", "elsewhere"], "--store must be sqlite, memory, pglite, redis, postgres, mysql,"],
    [["--store", "pglite", "--file", "f"], "--file and --fresh are for --store sqlite"],
    [["--store", "memory", "--fresh"], "--file and --fresh are for --store sqlite"],
  ])("refuses %j", (args, message) => {
    expect(() => parseCli(args)).toThrow(UsageError);
    expect(() => parseCli(args)).toThrow(message);
  });

  it.each([
    ["redis", { kind: "redis", url: "redis://localhost:6379" }],
    ["rediss://h:1", { kind: "redis", url: "rediss://h:1" }],
    ["valkey://h:1", { kind: "redis", url: "redis://h:1" }],
    ["postgres", { kind: "postgres", url: "postgres://postgres@localhost:5432/postgres" }],
    ["postgresql://u:p@h/d", { kind: "postgres", url: "postgresql://u:p@h/d" }],
    ["mysql", { kind: "mysql", url: "mysql://root@localhost:3306/test" }],
    ["mariadb", { kind: "mysql", url: "mysql://root@localhost:3306/test" }],
    ["mariadb://h/d", { kind: "mysql", url: "mysql://h/d" }],
    ["pglite", { kind: "pglite" }],
  ])("takes the store %s, by name or by address", (text, store) => {
    expect(parseCli(["--store", text]).store).toEqual(store);
  });

  it("takes names in any order and number, and runs in a file unless told otherwise", () => {
    const { only, seed, store } = parseCli(["--", "--only", "b, a", "--only=c"]);
    expect(only).toEqual(["b", "a", "c"]);
    expect(seed).toBeUndefined();
    expect(drawSeed()).toBeGreaterThanOrEqual(0);
    expect(store).toEqual({ kind: "sqlite", file: undefined, fresh: false });
    expect(parseCli([]).buyers).toBe(1_000);
    expect(parseCli(["--store", "pglite"]).buyers).toBe(100);
    expect(parseCli(["--store", "pglite", "--buyers", "200"]).buyers).toBe(200);
    expect(parseCli(["--store", "memory"]).store).toEqual({ kind: "memory" });
    const all = [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }];
    expect(choose(all, only).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(choose(all, [])).toBe(all);
  });
});

describe("a run", () => {
  it("prints progress to stderr, table, seed and recipes to stdout, without colours", async () => {
    const { code, stdout, stderr } = await run(["--only", "form-submit,double-click", "--seed=7"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^✓ Double-clicked payment .*\n✓ Three fast submits .*\n$/);
    expect(stdout).toMatch(/Double-clicked payment +100 +200 ✗ +100 ✓ +dedup +2 \/ 1 \/ \d/);
    expect(stdout).toContain("--seed 7");
    expect(stdout).toContain('const forms = createTokens({ name: "form"');
    expect(stdout).not.toContain("paid-again");
    expect(stdout + stderr).not.toContain(ESCAPE);
  });

  it("prints the same facts as JSON and nothing else", async () => {
    const { code, stdout } = await run(["--only", "double-click", "--seed=7", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      seed: 7,
      store: "sqlite",
      starts: 1,
      disasters: [
        {
          name: "double-click",
          expected: 100,
          without: 200,
          with: 100,
          algorithm: "dedup",
          calls: { first: 2, duplicate: 1 },
          problems: [],
          recipe: expect.arrayContaining([expect.stringContaining("= createDedup({")]),
        },
      ],
    });
  });

  it("colours when told to", async () => {
    const { stdout } = await run(["--only", "double-click"], undefined, { FORCE_COLOR: "1" });
    expect(stdout).toContain(ESCAPE);
  });

  it("exits 1 and says which when a disaster did not show", async () => {
    const directory = await mkdtemp(join(folder, "payloads-"));
    await writeFile(join(directory, "ping.json"), "{}");
    const { code, stdout } = await run([
      ...["--only", "webhook-replay", "--payloads", directory, "--seed", String(calmSeed())],
    ]);
    expect(stdout).toContain("webhook-replay: without protection nothing went wrong");
    expect(code).toBe(1);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("stops on %s, closes everything and exits %i", async (signal, expected) => {
    let sent = false;
    const { code, stdout, stderr } = await run(["--fresh"], (text, kill) => {
      if (!sent && text.includes("✓ Double-clicked")) {
        sent = true;
        kill(signal);
        // From the terminal and from the program that started it.
        kill(signal);
      }
    });
    expect(code).toBe(expected);
    expect(stderr).toMatch(
      /Stopped; every server is closed\. The next start goes on from here\.\n$/,
    );
    expect(stdout).toBe("");
  });
});

/** A seed that delivers a single payload once. */
function calmSeed(): number {
  const payload = { event: "ping", body: {} };
  for (let seed = 0; ; seed += 1) {
    if (shuffle([payload], createRandom(seed)).length === 1) {
      return seed;
    }
  }
}
