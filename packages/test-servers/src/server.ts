// One server process on a private port and folder: starts, waits until ready, stops, kills and
// starts again on the same data.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { onExit } from "./exit-cleanup.js";
import { freePort } from "./free-port.js";
import { makeFolder, removeFolder } from "./temp-folder.js";
import { commandAs, type User } from "./unprivileged.js";

const POLL_MS = 25;
const READY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 5_000;
const START_ATTEMPTS = 3;
const RESTART_WITHIN_MS = 20_000;
const RESTART_PAUSE_MS = 100;
const LOG_TAIL_CHARS = 4_000;

export interface TestServer {
  readonly host: "127.0.0.1";
  readonly port: number;
  readonly url: string;
  /** Process id of the running server; after `restart` it is another one. */
  readonly pid: number;
  /**
   * Sends a signal to the server. SIGKILL, SIGSTOP and SIGCONT, which nobody can pass on, reach all
   * of its processes on Linux: Postgres serves each session in one of its own.
   */
  kill(signal: NodeJS.Signals): void;
  /** Starts the server again on the same port and data, after `kill` or instead of it. */
  restart(): Promise<void>;
  /** Ends the server and removes its folder; a second call does nothing. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What tells one kind of server from another. */
export interface ServerKind {
  readonly name: string;
  readonly user: User | "self";
  readonly stopSignal: NodeJS.Signals;
  prepare(folder: string): Promise<void>;
  command(folder: string, port: number): { program: string; args: string[] };
  /** What its environment holds beside ours. */
  env?(folder: string): Readonly<Record<string, string>>;
  url(port: number): string;
  isReady(port: number): Promise<boolean>;
}

/** Starts a server of this kind; tries another port when the first was taken meanwhile. */
export async function startServer(kind: ServerKind): Promise<TestServer> {
  const folder = makeFolder(kind.name, kind.user);
  const withdraw = onExit(() => removeFolder(folder));
  try {
    await kind.prepare(folder);
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      try {
        return serverOn(kind, folder, port, await launch(kind, folder, port), withdraw);
      } catch (error) {
        if (attempt === START_ATTEMPTS) throw error;
      }
    }
  } catch (error) {
    withdraw();
    removeFolder(folder);
    throw error;
  }
}

function serverOn(
  kind: ServerKind,
  folder: string,
  port: number,
  first: Running,
  withdraw: () => void,
): TestServer {
  let running = first;
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await running.end(kind.stopSignal);
    withdraw();
    removeFolder(folder);
  };
  return {
    host: "127.0.0.1",
    port,
    url: kind.url(port),
    get pid() {
      return running.pid;
    },
    kill: (signal) => running.kill(signal),
    async restart() {
      if (stopped) throw new Error(`This ${kind.name} was stopped, and its data removed.`);
      await running.end(kind.stopSignal);
      running = await relaunch(kind, folder, port);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface Running {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Asks the process to end, insists after a while, and resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/**
 * After SIGKILL what the server left behind (Postgres: backends that hold its shared memory) may
 * still be going, and refuses the start for a moment.
 */
async function relaunch(kind: ServerKind, folder: string, port: number): Promise<Running> {
  const deadline = performance.now() + RESTART_WITHIN_MS;
  for (;;) {
    try {
      return await launch(kind, folder, port);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(RESTART_PAUSE_MS);
    }
  }
}

async function launch(kind: ServerKind, folder: string, port: number): Promise<Running> {
  const { program, args } = kind.command(folder, port);
  const command = commandAs(kind.user, program, args, { dieWithParent: true });
  const child = spawn(command.file, command.args, {
    cwd: folder,
    stdio: "pipe",
    env: { ...process.env, ...kind.env?.(folder) },
  });
  const log = collectLog(child);
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const withdraw = onExit(() => signalAll(child, "SIGKILL"));
  void gone.then(withdraw);
  const end = (signal: NodeJS.Signals): Promise<void> => endChild(child, gone, signal);
  let isGone = false;
  void gone.then(() => {
    isGone = true;
  });

  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await kind.isReady(port))) {
    if (isGone || performance.now() > deadline) {
      await end("SIGKILL");
      throw new Error(`${kind.name} did not start on port ${port}:\n${log()}`);
    }
    await delay(POLL_MS);
  }
  // Another program may answer on this port if ours lost the race for it.
  if (isGone || child.pid === undefined) {
    throw new Error(`${kind.name} ended on port ${port}:\n${log()}`);
  }
  return { pid: child.pid, kill: (signal) => signalAll(child, signal), end };
}

const NOBODY_PASSES_ON: readonly NodeJS.Signals[] = ["SIGKILL", "SIGSTOP", "SIGCONT"];

/** Does nothing to a process that is gone. */
function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  if (!NOBODY_PASSES_ON.includes(signal)) {
    child.kill(signal);
    return;
  }
  // It starts no others while they are looked up.
  if (signal !== "SIGCONT") child.kill("SIGSTOP");
  for (const pid of childrenOf(child)) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone meanwhile.
    }
  }
  child.kill(signal);
}

function childrenOf({ pid, exitCode, signalCode }: ChildProcess): number[] {
  if (exitCode !== null || signalCode !== null) return [];
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1");
    return listed.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

async function endChild(
  child: ChildProcess,
  gone: Promise<void>,
  signal: NodeJS.Signals,
): Promise<void> {
  child.kill(signal);
  // A stopped process acts on no signal but these.
  signalAll(child, "SIGCONT");
  const timer = setTimeout(() => signalAll(child, "SIGKILL"), STOP_WITHIN_MS);
  await gone;
  clearTimeout(timer);
}

/** Keeps the end of what the server says, and lets neither it nor its pipes hold the event loop. */
function collectLog(child: ChildProcess): () => string {
  let log = "";
  child.unref();
  child.stdin?.end();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: unknown) => {
      log = (log + String(chunk)).slice(-LOG_TAIL_CHARS);
    });
    (stream as { unref?: () => void } | null)?.unref?.();
  }
  child.on("error", (error) => {
    log += String(error);
  });
  return () => log;
}
