// One run: a server, a proxy for each client process, faults while they work, then quiet, one last
// look, and the verdict of the oracles.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildProgram, startTcpProxy, type TcpProxy } from "@onceproof/test-servers";
import { UNFENCED } from "../broken.js";
import { judgeRun, type RunFacts, writeFacts } from "../oracles/judge.js";
import type { Verdict, Violation } from "../oracles/violation.js";
import { createRandom } from "../random.js";
import { type Sink, startSink } from "../sink/server.js";
import type { ChaosServer, StoreKind } from "../stores/store-kind.js";
import type { WorkerOptions } from "../worker/protocol.js";
import { createBank } from "../workloads/payments.js";
import { strikeFaults } from "./faults.js";
import { settleAll } from "./settle.js";
import { startWorker, type Worker } from "./workers.js";

export interface ChaosOptions {
  readonly kind: StoreKind;
  readonly seed: number;
  /** The run goes on at least until so many store calls have settled, and for so long. */
  readonly calls: number;
  readonly forMs: number;
  readonly faults: readonly string[];
  /** Client processes. */
  readonly processes: number;
  /** Names what is broken on purpose. */
  readonly broken?: string | undefined;
  /** Names the workloads that run. @defaultValue all */
  readonly workloads?: readonly string[] | undefined;
  /** Where histories are kept. @defaultValue a folder that is removed */
  readonly keep?: string | undefined;
  /** Ends the run early: then it is judged as far as it came. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly phase: "running" | "healing" | "settling" | "judging";
  readonly elapsedMs: number;
  readonly calls: number;
  readonly faults: number;
}

export interface ChaosReport extends Verdict {
  readonly interrupted: boolean;
  readonly elapsedMs: number;
  /** How often each fault struck. */
  readonly struck: Readonly<Record<string, number>>;
}

const SPACE = "chaos";
const CONNECTIONS = 3;
const OPERATION_TIMEOUT_MS = 500;
const TOMBSTONE_MS = 300_000;
/** The clock goes from an hour ahead to an hour back. */
const TOMBSTONE_WITH_JUMPS_MS = 3 * 3_600_000;
const FINISH_WITHIN_MS = 45_000;
const CLOSE_WITHIN_MS = 10_000;
/** A server notices in no time that a client of a transaction is gone; one of ours stays. */
const LEFT_OPEN_WITHIN_MS = 5_000;
const TICK_MS = 200;

interface Client {
  readonly proxy: TcpProxy | undefined;
  worker: Worker;
  life: number;
}

/** Makes a run and judges it. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  // Named as the test servers name theirs, so that a later run removes what a killed one left.
  const folder = options.keep ?? mkdtempSync(join(tmpdir(), `onceproof-chaos-${process.pid}-`));
  if (options.keep !== undefined) mkdirSync(folder, { recursive: true });
  const remove = (): void => {
    if (options.keep === undefined) rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", remove);
  try {
    return await makeRun(options, folder);
  } finally {
    process.removeListener("exit", remove);
    remove();
  }
}

async function makeRun(options: ChaosOptions, folder: string): Promise<ChaosReport> {
  const { kind, seed, faults, signal, broken, workloads } = options;
  const clockJumps = faults.includes("jump");
  const tombstoneMs = clockJumps ? TOMBSTONE_WITH_JUMPS_MS : TOMBSTONE_MS;
  const startedAt = performance.now();
  const originNs = process.hrtime.bigint();
  const struck: Record<string, number> = {};
  const violations: Violation[] = [];
  let calls = 0;
  const tell = (phase: Progress["phase"]): void => {
    const struckAll = Object.values(struck).reduce((sum, each) => sum + each, 0);
    const elapsedMs = performance.now() - startedAt;
    options.onProgress?.({ phase, elapsedMs, calls, faults: struckAll });
  };

  const program = await buildProgram({
    package: new URL("../../", import.meta.url),
    entries: { worker: "src/worker/main.ts" },
  });
  const server = await kind.start({ clock: clockJumps });
  const sink = await startSink(folder, { unfenced: broken === UNFENCED });
  const clients: Client[] = [];
  const interrupted = (): boolean => signal?.aborted === true;
  try {
    await server.prepare(SPACE);
    if (server.tables !== undefined) await createBank(server.tables.on);
    const workerOptions = {
      ...{ store: kind.name, seed, folder, originNs: String(originNs), sinkPort: sink.port },
      ...{ space: SPACE, connections: CONNECTIONS, operationTimeoutMs: OPERATION_TIMEOUT_MS },
      ...{ tombstoneMs, broken, workloads },
    };
    const start: Start = (index, life, proxy) => {
      const place = proxy === undefined ? server.place : { port: proxy.port };
      const own: WorkerOptions = { ...workerOptions, name: `${index}.${life}`, place };
      return startWorker(program.file("worker"), own, (count) => {
        calls += count;
      });
    };
    await Promise.all(
      Array.from({ length: options.processes }, async (_, index) => {
        const proxy = server.server && (await startTcpProxy(server.server.port));
        clients.push({ proxy, worker: await start(index + 1, 1, proxy), life: 1 });
      }),
    );
    await disturb(options, server, clients, start, {
      calls: () => calls,
      tell,
      onFault: (fault) => {
        struck[fault] = (struck[fault] ?? 0) + 1;
      },
      onDeath: (client) => void violations.push(deathOf(client)),
    });
    let end: RunFacts["end"];
    if (!interrupted()) {
      tell("settling");
      violations.push(...(await finishAll(clients)), ...(await transactionsLeft(server)));
      end = await lastLook(options, server, sink, { folder, originNs, tombstoneMs });
      await Promise.all(clients.map(({ worker }) => worker.close(CLOSE_WITHIN_MS)));
    }
    await Promise.all(clients.map(({ worker }) => worker.end()));
    tell("judging");
    const facts = { store: kind.name, seed, faults, tombstoneMs, clockJumps, violations };
    writeFacts(folder, { ...facts, ...(end !== undefined && { end }) });
    const elapsedMs = performance.now() - startedAt;
    return { ...(await judgeRun(folder)), interrupted: interrupted(), elapsedMs, struck };
  } finally {
    await Promise.all(clients.map(({ worker }) => worker.end()));
    await Promise.all(clients.map(({ proxy }) => proxy?.close()));
    await sink.close();
    await server.stop();
    program.remove();
  }
}

type Start = (index: number, life: number, proxy: TcpProxy | undefined) => Promise<Worker>;

interface Hooks {
  calls(): number;
  tell(phase: Progress["phase"]): void;
  onFault(fault: string): void;
  /** A client process has ended by itself. */
  onDeath(client: number): void;
}

/** Strikes until there were enough calls for long enough; all is whole again when it resolves. */
async function disturb(
  { seed, calls, forMs, faults, signal }: ChaosOptions,
  server: ChaosServer,
  clients: Client[],
  start: Start,
  hooks: Hooks,
): Promise<void> {
  const startedAt = performance.now();
  const stop = new AbortController();
  let failed: unknown;
  const noteFailure = (error: unknown): void => {
    failed ??= error;
  };
  const replacing = new Map<Client, Promise<void>>();
  const replace = async (client: Client, index: number): Promise<void> => {
    if (client.worker.died()) hooks.onDeath(index + 1);
    await client.worker.end();
    client.life += 1;
    client.worker = await start(index + 1, client.life, client.proxy);
    replacing.delete(client);
  };
  const targets = clients.map((client, index) => ({
    proxy: client.proxy,
    kill: (killed: NodeJS.Signals) => client.worker.kill(killed),
    replace() {
      if (replacing.has(client)) return;
      replacing.set(client, replace(client, index).catch(noteFailure));
    },
  }));
  const striking = strikeFaults({
    faults,
    targets: { server, clients: targets },
    random: (track) => createRandom(seed, "faults", track),
    stopped: stop.signal,
    onFault: hooks.onFault,
  });
  striking.catch(noteFailure);
  const enough = (): boolean => hooks.calls() >= calls && performance.now() - startedAt >= forMs;
  while (!enough() && signal?.aborted !== true && failed === undefined) {
    await sleep(TICK_MS);
    hooks.tell("running");
  }
  hooks.tell("healing");
  stop.abort();
  await striking.catch(noteFailure);
  await Promise.all(replacing.values());
  // On Ctrl-C the server is gone with us, and cannot be restarted any more.
  if (failed !== undefined && signal?.aborted !== true) throw failed;
}

function deathOf(client: number): Violation {
  const detail = `client ${client} ended by itself: its last words are above`;
  return { guarantee: "Honesty: nothing is thrown where nobody can catch it.", detail };
}

async function finishAll(clients: readonly Client[]): Promise<Violation[]> {
  const violations: Violation[] = [];
  await Promise.all(
    clients.map(async ({ worker }, index) => {
      if (await worker.finish(FINISH_WITHIN_MS)) return;
      if (worker.died()) return void violations.push(deathOf(index + 1));
      const detail = `client ${index + 1} did not end within ${FINISH_WITHIN_MS} ms after all faults`;
      violations.push({ guarantee: "Nothing hangs.", detail });
    }),
  );
  return violations;
}

/** The clients have ended what they began, and their connections are open: in none a transaction. */
async function transactionsLeft({ tables }: ChaosServer): Promise<Violation[]> {
  if (tables === undefined) return [];
  const giveUpAt = performance.now() + LEFT_OPEN_WITHIN_MS;
  for (;;) {
    const left = await tables.openTransactions();
    if (left === 0) return [];
    if (performance.now() > giveUpAt) {
      const detail = `${left} transactions were open after every call had ended`;
      return [{ guarantee: "Dedup: no transaction is left behind.", detail }];
    }
    await sleep(TICK_MS);
  }
}

async function lastLook(
  { kind, seed, broken }: ChaosOptions,
  { place, tables }: ChaosServer,
  sink: Sink,
  { folder, originNs, tombstoneMs }: { folder: string; originNs: bigint; tombstoneMs: number },
): Promise<RunFacts["end"]> {
  const [client = ""] = kind.clients;
  const operationTimeoutMs = 10_000;
  const options = { place, space: SPACE, operationTimeoutMs, tombstoneMs };
  const { store, transactions, close } = await kind.open(client, options);
  const look = { store, transactions, broken, tables: tables?.on };
  try {
    return await settleAll({ ...look, folder, seed, originNs, sinkPort: sink.port });
  } finally {
    await close();
  }
}
