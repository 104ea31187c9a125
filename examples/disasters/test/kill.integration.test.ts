// kill -9 at any moment, and the table is still right: what was done is done once, whatever was cut off.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "@onceproof/simulator";
import { openSqlite } from "@onceproof/sql-adapter";
import { afterAll, beforeAll, expect, it, onTestFailed } from "vitest";
import { allDisasters } from "../src/disasters/index.js";
import { buildProgram, type Program, type Started } from "./support/program.js";

const SEED = 20_260;
const NAMES = allDisasters([]).map(({ name }) => name);
/** Enough to be killed among; all of GitHub's, and as many buyers as usual, would only take longer. */
const PAYLOADS = 40;
const BUYERS = 200;
/** The sale takes as long as all others together, so it is killed apart from them. */
const SALE = "flash-sale";

interface Report {
  readonly ok: boolean;
  readonly starts: number;
  readonly tookMs: number;
  readonly disasters: readonly {
    readonly name: string;
    readonly expected: number;
    readonly without: number;
    readonly with: number;
    readonly calls: { readonly first: number; readonly duplicate: number };
    readonly problems: readonly string[];
  }[];
}

let program: Program;
let folder: string;
beforeAll(async () => {
  program = await buildProgram();
  folder = await mkdtemp(join(tmpdir(), "onceproof-kill-"));
  const payloads = join(folder, "payloads");
  await mkdir(payloads);
  for (let payload = 1; payload <= PAYLOADS; payload += 1) {
    await writeFile(join(payloads, `${payload}.json`), "{}");
  }
});
afterAll(async () => {
  await program.remove();
  await rm(folder, { recursive: true, force: true });
});

const start = (file: string, only: string) =>
  program.start([
    ...["--json", `--seed=${SEED}`, `--only=${only}`, "--file", join(folder, file)],
    ...["--payloads", join(folder, "payloads"), `--buyers=${BUYERS}`],
  ]);

/** What must be the same however often it was killed; how much goes wrong without may differ. */
const verdicts = ({ ok, disasters }: Report) => ({
  ok,
  disasters: disasters.map(({ name, expected, without, with: guarded, calls, problems }) => ({
    ...{ name, expected, wrong: without !== expected, with: guarded, problems },
    calls: { first: calls.first, duplicate: calls.duplicate },
  })),
});

/** What the sinks hold of each run, asked past the program; and nothing keeps others out. */
async function ledgersIn(file: string): Promise<unknown[]> {
  const { database, close } = await openSqlite(join(folder, file));
  const ask = (sql: string) => database.prepare(sql).all() as Record<string, string>[];
  expect(ask("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  database.exec("BEGIN EXCLUSIVE; COMMIT");
  const entries = ask(
    `SELECT scope, ledger, count(*) AS entries FROM disasters_entry
     WHERE scope NOT LIKE '%after the count%' GROUP BY scope, ledger ORDER BY scope, ledger`,
  );
  const runs = ask("SELECT id FROM disasters_run").map(({ id = "" }) =>
    entries
      .filter(({ scope = "" }) => scope.startsWith(id))
      .map(({ scope = "", ...counted }) => ({ disaster: scope.slice(id.length), ...counted })),
  );
  await close();
  return runs;
}

interface Undisturbed {
  readonly report: Report;
  readonly ledgers: unknown;
  /** Of the process. */
  readonly lifeMs: number;
}

async function runUndisturbed(file: string, only: string): Promise<Undisturbed> {
  const startedAt = performance.now();
  const { code, stdout, stderr } = await start(file, only).ended;
  const lifeMs = performance.now() - startedAt;
  expect(code, stdout + stderr).toBe(0);
  const [ledgers] = await ledgersIn(file);
  return { report: JSON.parse(stdout), ledgers, lifeMs };
}

/** Ends with SIGKILL after so long, unless it has ended before; then it tells what it printed. */
async function killAfter(started: Started, afterMs: number): Promise<Report | undefined> {
  const timer = setTimeout(() => started.process.kill("SIGKILL"), afterMs);
  const { code, stdout, stderr } = await started.ended;
  clearTimeout(timer);
  if (code === null) {
    return undefined;
  }
  expect(code, stdout + stderr).toBe(0);
  return JSON.parse(stdout);
}

it.each([
  { kills: 44, only: NAMES.filter((name) => name !== SALE), longest: 0.4 },
  { kills: 6, only: [SALE], longest: 1 },
])(
  "prints the same table after $kills times kill -9: $only",
  async ({ kills, only, longest }) => {
    onTestFailed(() => console.error(`kill.integration: SEED is ${SEED}`));
    const names = only.join();
    const undisturbed = await runUndisturbed(`${kills}-undisturbed.db`, names);
    const { tookMs } = undisturbed.report;
    const random = createRandom(SEED);
    const fraction = () => random.int(0, 1_000_000) / 1_000_000;
    const reports: Report[] = [];
    const file = `${kills}-killed.db`;
    for (let killed = 0; killed < kills; ) {
      // Of a start, the first moments are repeated most: so the later ones are drawn less often.
      const afterMs =
        (undisturbed.lifeMs - tookMs) * fraction() + tookMs * longest * fraction() ** 2;
      const report = await killAfter(start(file, names), afterMs);
      // One that was quicker than the kill is right too, and the next start begins a new run.
      killed += report === undefined ? 1 : 0;
      reports.push(...(report === undefined ? [] : [report]));
    }
    reports.push((await killAfter(start(file, names), 200_000)) as Report);

    for (const report of reports) {
      expect(verdicts(report)).toEqual(verdicts(undisturbed.report));
    }
    expect(await ledgersIn(file)).toEqual(reports.map(() => undisturbed.ledgers));
    // Some were killed at work, and not all while they were loading.
    const interrupted = reports.reduce((sum, { starts }) => sum + starts - 1, 0);
    expect(interrupted).toBeGreaterThan(kills / 10);
  },
  240_000,
);

it("lets two processes at once on one file, and both are right", async () => {
  const names = NAMES.filter((name) => name !== SALE).join();
  const both = [start("both.db", names), start("both.db", names)];
  const reports = await Promise.all(both.map((started) => killAfter(started, 120_000)));
  const [one, other] = reports as [Report, Report];
  expect(one.ok).toBe(true);
  expect(verdicts(one)).toEqual(verdicts(other));
  // One run that both are in, or two if one was over before the other had loaded.
  const runs = await ledgersIn("both.db");
  expect(runs.length).toBeLessThanOrEqual(2);
  for (const ledgers of runs) {
    const entry = { disaster: " webhook-replay", ledger: "messages", entries: PAYLOADS };
    expect(ledgers).toContainEqual(entry);
    expect(ledgers).toContainEqual({ disaster: " double-click", ledger: "charges", entries: 1 });
  }
}, 240_000);

it("goes on with a run that was stopped by Ctrl-C, and begins a new one after its table", async () => {
  const next = () => start("stopped.db", "double-click,webhook-replay");
  const stopped = next();
  stopped.process.stderr?.once("data", () => stopped.process.kill("SIGINT"));
  expect(await stopped.ended).toMatchObject({
    code: 130,
    stdout: "",
    stderr: expect.stringMatching(/^✓ Double-clicked[^✓]*The next start goes on from here\.\n$/),
  });
  const gone = await next().ended;
  expect(gone.stderr).toMatch(/^Going on with a run that was not finished, 1 of 2 done; --fresh/);
  expect(gone.stderr).not.toContain("Double-clicked");
  expect(JSON.parse(gone.stdout)).toMatchObject({ ok: true, starts: 2 });
  expect(JSON.parse((await next().ended).stdout)).toMatchObject({ ok: true, starts: 1 });
}, 120_000);
