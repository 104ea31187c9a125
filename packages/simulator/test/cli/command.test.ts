// Each command as a person runs it: what it prints and the code it exits with.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ResultsFile } from "../../src/cli/results-file.ts";
import { encodeToken } from "../../src/explore/token.ts";
import { scenarioOf } from "../../src/scenarios/catalogue.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import type { RunSpec } from "../../src/scenarios/scenario.ts";
import { formatEvent, hashTrace } from "../../src/world/trace.ts";
import { buildCommand, type Command, runHere } from "./support/command.ts";

// Several processes, perhaps on a busy machine.
const PATIENCE_MS = 240_000;

let command: Command;
beforeAll(async () => {
  command = await buildCommand();
}, PATIENCE_MS);
afterAll(() => command.remove());
const run: Command["run"] = (args, env) => command.run(args, env);

const folder = mkdtempSync(join(tmpdir(), "onceproof-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string): string => join(folder, name);
const read = <T>(name: string): T => JSON.parse(readFileSync(file(name), "utf8")) as T;

const scenario = scenarioOf("fence/two-gates");
const [workload] = scenario.workloads;
const spec: RunSpec = {
  scenario: scenario.id,
  profile: "durable",
  workload: workload!.id,
  seed: 7,
  plan: [{ from: "gate-1", to: "store", nth: 1, fault: "dropReply" }],
};
const FEW = ["--only", scenario.id, "--profile", "single-key"];
const ESCAPE = "\u001b[";

test(
  "help names every command, with examples and exit codes; each command has its own",
  async () => {
    const [all, verify, byNpm, version] = await Promise.all([
      run(["--help"]),
      run(["verify", "--help"]),
      run(["verify", "--help"], { npm_lifecycle_event: "verify" }),
      run(["--version"]),
    ]);
    expect(all).toMatchObject({ code: 0, stderr: "" });
    for (const word of ["verify", "replay", "mutants", "Examples:", "Exit codes:"]) {
      expect(all.stdout).toContain(word);
    }
    expect(verify.code).toBe(0);
    for (const word of ["--full", "--shard", "--merge", "--jobs", "Examples:"]) {
      expect(verify.stdout).toContain(word);
    }
    expect(verify.stdout).toContain("Usage: onceproof verify [options]");
    expect(byNpm.stdout).toContain("Usage: npm run verify -- [options]");
    expect(byNpm.stdout).not.toContain("onceproof verify");
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  },
  PATIENCE_MS,
);

test.each([
  [["verfy"], "unknown command 'verfy'"],
  [["verify", "--fulll"], "unknown option '--fulll'"],
  [["verify", "--quick", "--full"], "cannot be used with"],
  [["verify", "--time", "soon"], "for example 30s"],
  [["verify", "--shard", "3/2"], "for example 1/3"],
  [["verify", "--only", "nothing"], "no scenario begins with"],
  [["verify", "--merge", "no-such.json"], "cannot read no-such.json"],
  [["verify", "--merge", "package.json"], "package.json is not a result of `onceproof verify"],
  [["verify", "--html", "."], "--html . cannot be written: it is a folder"],
  [["verify", "--mutant", "lock/none"], "`onceproof mutants --list` lists them"],
  [["verify", "--store", "none.mjs"], "none.mjs cannot be loaded"],
  [["verify", "--store", "vitest.config.ts"], "must export `world`"],
  [["verify", "--store", "x.mjs", "--profile", "failover"], "is not run as failover"],
  [["mutants", "--bugdet", "1"], "(onceproof mutants --help tells what there is)"],
  [["replay"], "missing required argument 'token'"],
  [["replay", "op1.abc"], "no replay token: it is cut off or altered"],
  [["replay", "hello"], "no replay token: it does not begin with op1"],
  [["replay", encodeToken({ ...spec, scenario: "fence/none" })], "there is no scenario"],
  [["replay", encodeToken({ ...spec, scenario: "simulate" })], "pass it as `replay` to your own"],
  [["replay", encodeToken({ ...spec, workload: "none" })], "has no workload"],
  [["replay", encodeToken({ ...spec, seed: -1 })], "seed must be a whole number from 0"],
  [["mutants", "--only", "none/"], "no mutant's id begins with none/"],
])("%j is bad usage", async (args, message) => {
  const { code, stdout, stderr } = await runHere(args);
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/\n {4}at /);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});

test(
  "bad usage is a process' exit code too",
  async () => {
    const { code, stdout, stderr } = await run(["verify", "--fulll"]);
    expect(stderr).toContain("unknown option '--fulll'");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  },
  PATIENCE_MS,
);

test(
  "a store of one's own is what is explored, and what a replay runs",
  async () => {
    const store = ["--store", command.forgetfulStore];
    const only = ["--only", "dedup/transaction", "--profile", "transactional"];
    const found = await run([
      "verify",
      ...store,
      ...only,
      "--quick",
      "--shard",
      "2/12",
      "--jobs",
      "1",
    ]);
    expect(found).toMatchObject({ code: 1, stderr: expect.stringContaining("on the store of") });
    expect(found.stdout).toContain("dedup/transaction-told-is-committed");
    const token = /replay: onceproof replay (\S+) --store/.exec(found.stdout)?.[1];
    const [own, simulated] = await Promise.all([
      run(["replay", String(token), ...store, "--check"]),
      run(["replay", String(token), "--check"]),
    ]);
    expect([own.code, simulated.code]).toEqual([1, 0]);
  },
  PATIENCE_MS,
);

test(
  "a replay prints the same bytes in every process",
  async () => {
    const token = encodeToken(spec);
    const [one, other] = await Promise.all([
      run(["replay", token, "--trace"]),
      run(["replay", token, "--trace"], { FORCE_COLOR: "1" }),
    ]);
    const { trace } = await runScenario(scenario, spec);
    const expected = [...trace.map(formatEvent), `trace hash ${hashTrace(trace)}`].join("\n");
    expect(one).toEqual({ code: 0, stderr: "", stdout: `${expected}\n` });
    expect(other.stdout).toBe(one.stdout);
  },
  PATIENCE_MS,
);

test(
  "a replay tells the story, in colours only where they are wanted",
  async () => {
    const token = encodeToken(spec);
    const [plain, forced, none, json] = await Promise.all([
      run(["replay", token, "--check"]),
      run(["replay", token], { FORCE_COLOR: "1" }),
      run(["replay", token], { NO_COLOR: "1", FORCE_COLOR: "1" }),
      run(["replay", token, "--json"]),
    ]);
    expect(plain.code).toBe(0);
    expect(plain.stdout).toContain("the reply of gate-1's 1st call to the store");
    expect(plain.stdout).toContain("guarantees is violated");
    expect(plain.stdout).not.toContain(ESCAPE);
    expect(forced.stdout).toContain(ESCAPE);
    expect(none.stdout).toBe(plain.stdout);
    expect(JSON.parse(json.stdout)).toMatchObject({ spec, violations: [] });
  },
  PATIENCE_MS,
);

test(
  "parts that are merged are the whole, whoever does them",
  async () => {
    const all = ["verify", ...FEW, "--seed", "5"];
    const ended = await Promise.all([
      run([...all, "--json", file("whole.json"), "--jobs", "2"]),
      run([...all, "--json", file("1.json"), "--shard", "1/2", "--jobs", "1"]),
      run([...all, "--json", file("2.json"), "--shard", "2/2", "--jobs", "1"]),
    ]);
    expect(ended.map(({ code, stderr }) => [code, stderr.includes("ERROR")])).toEqual(
      Array(3).fill([0, false]),
    );
    const merge = [
      "verify",
      "--merge",
      file("2.json"),
      file("1.json"),
      "--json",
      file("both.json"),
    ];
    expect((await run(merge)).code).toBe(0);
    const whole = read<ResultsFile>("whole.json");
    const both = read<ResultsFile>("both.json");
    expect(whole.matrix.runs).toBeGreaterThan(20);
    expect(both.matrix.rows).toEqual(whole.matrix.rows);
    expect(both.results).toEqual(whole.results);
    expect([whole.complete, both.complete, both.shard]).toEqual([true, true, "1/1"]);
    // What is no part of it is refused.
    const other = { ...read<ResultsFile>("2.json"), mutant: "fence/forgets" };
    writeFileSync(file("other.json"), JSON.stringify(other));
    const wrong = await run(["verify", "--merge", file("1.json"), file("other.json")]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("merge parts of one verification");
    const twice = await run(["verify", "--merge", file("1.json"), file("1.json")]);
    expect(twice.stderr).toContain("give each part once");
    const part = await run(["verify", "--merge", file("1.json")]);
    expect(part.stdout).toMatch(/not complete: \d+ jobs are missing/);
  },
  PATIENCE_MS,
);

test(
  "a violation ends with 1, its story and a token that replays it, and is written as a page",
  async () => {
    const mutant = "fence/off-by-one";
    const args = ["verify", ...FEW, "--mutant", mutant, "--html", file("m.html")];
    const { code, stdout } = await run([...args, "--markdown", file("m.md")]);
    expect(code).toBe(1);
    const warning = `core with the mutant ${mutant} — this is not Onceproof as it is`;
    expect(stdout.startsWith(warning)).toBe(true);
    for (const name of ["m.html", "m.md"]) {
      expect(readFileSync(file(name), "utf8"), name).toContain(warning);
    }
    expect(stdout).toContain("VIOLATED fence/");
    expect(stdout).toContain("fence.admit");
    expect(readFileSync(file("m.html"), "utf8")).toMatch(/^<!doctype html>[\s\S]*<svg/);
    expect(readFileSync(file("m.md"), "utf8")).toContain("# Guarantee matrix");
    const [, token = ""] = /replay (op1\.\S+)/.exec(stdout) ?? [];
    const again = await run(["replay", token, "--check", "--html", file("r.html")]);
    expect(again.code).toBe(1);
    expect(again.stdout).toContain(`mutant: ${mutant}`);
    expect(again.stdout).toContain("violated: fence/");
    expect(readFileSync(file("r.html"), "utf8")).toContain("<svg");
    expect((await run(["replay", token])).code).toBe(0);
  },
  PATIENCE_MS,
);

test(
  "results alone are on standard output with --json",
  async () => {
    const { stdout, stderr } = await run(["verify", ...FEW, "--time", "1ms", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ format: "onceproof-results", complete: false });
    expect(stderr).toContain("out of time");
    expect(stderr).toContain("not covered: ");
  },
  PATIENCE_MS,
);

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s in the middle prints what was covered, exits with 130 and leaves no process",
  async (signal) => {
    const args = ["verify", "--full", "--only", "fence", "--jobs", "2"];
    const { child, said, ended } = command.start(args);
    await said(/^[1-9][\d,]* of ≈/m);
    child.kill(signal);
    const { code, stdout } = await ended;
    expect(stdout).toMatch(/^interrupted: [1-9][\d,]* of ≈[\d,]+ plans$/m);
    expect(stdout).toContain("fence/two-gates");
    expect(stdout).toMatch(/\ninterrupted: nothing surprising in what ran, .*\n$/);
    expect(code).toBe(130);
  },
  PATIENCE_MS,
);

test(
  "mutants are killed with a run that replays; one that nothing was tried on survives",
  async () => {
    const args = ["mutants", "--only", "fence/off-by-one"];
    const [killed, survived] = await Promise.all([
      run([...args, "--budget", "300", "--json", file("mutants.json")]),
      run(["mutants", "--only", "fence/no-answer-is-an-admission", "--budget", "1"]),
    ]);
    expect(killed.stdout).toMatch(/^killed {3}fence\/off-by-one: /m);
    expect(killed.stdout).toContain("core as it is never flagged");
    expect(killed.code).toBe(0);
    const { verdicts } = read<{ verdicts: { id: string; token?: string }[] }>("mutants.json");
    const token = verdicts.find(({ id }) => id === "fence/off-by-one")?.token ?? "";
    expect((await run(["replay", token, "--check"])).code).toBe(1);
    expect(survived.stdout).toContain("SURVIVED fence/no-answer-is-an-admission");
    expect(survived.code).toBe(1);
  },
  PATIENCE_MS,
);
