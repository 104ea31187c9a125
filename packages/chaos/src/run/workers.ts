// The client processes of a run: started, killed, stopped, replaced, and ended with the run.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { FromWorker, ToWorker, WorkerOptions } from "../worker/protocol.js";

export interface Worker {
  kill(signal: NodeJS.Signals): void;
  /** Asks it to end what it has begun; false if it did not within the time, and was killed. */
  finish(withinMs: number): Promise<boolean>;
  /** Ends it at once. */
  end(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL("../worker/main.ts", import.meta.url));
const SOURCES = fileURLToPath(new URL("../../../../tsconfig.base.json", import.meta.url));

/** How many times two processes compare their clocks. */
const CLOCK_LOOKS = 5;

/**
 * Starts a client process.
 *
 * Fails: Error if its monotonic clock is not ours, as then no history could be put in order.
 */
export async function startWorker(
  options: WorkerOptions,
  onCalls: (count: number) => void,
): Promise<Worker> {
  const child = fork(PROGRAM, [], {
    execArgv: ["--import", import.meta.resolve("tsx")],
    // Under tsx itself this names the built packages; under a test runner the sources.
    env: { ...process.env, TSX_TSCONFIG_PATH: process.env.TSX_TSCONFIG_PATH ?? SOURCES },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const gone = once(child, "exit");
  const atExit = (): void => void child.kill("SIGKILL");
  process.once("exit", atExit);
  void gone.then(() => process.removeListener("exit", atExit));
  const send = (message: ToWorker): void => {
    child.send(message, () => {});
  };
  let finished = false;
  child.on("error", () => {});
  child.on("message", (message: FromWorker) => {
    if (message.type === "calls") onCalls(message.count);
    if (message.type === "finished") finished = true;
  });
  await compareClocks(child, send, gone);
  send({ type: "start", options });
  await answer(child, "started", gone);
  return {
    kill: (signal) => void child.kill(signal),
    async finish(withinMs) {
      send({ type: "finish" });
      const timer = setTimeout(() => child.kill("SIGKILL"), withinMs);
      await gone;
      clearTimeout(timer);
      return finished;
    },
    async end() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

async function compareClocks(
  child: ChildProcess,
  send: (message: ToWorker) => void,
  gone: Promise<unknown>,
): Promise<void> {
  for (let look = 0; look < CLOCK_LOOKS; look += 1) {
    const before = process.hrtime.bigint();
    send({ type: "clock" });
    const { ns } = await answer(child, "clock", gone);
    const after = process.hrtime.bigint();
    if (BigInt(ns) < before || BigInt(ns) > after) {
      throw new Error(
        `processes do not share a monotonic clock here: ${ns} is not in ${before}..${after}`,
      );
    }
  }
}

function answer<Type extends FromWorker["type"]>(
  child: ChildProcess,
  type: Type,
  gone: Promise<unknown>,
): Promise<Extract<FromWorker, { type: Type }>> {
  const answered = new Promise<Extract<FromWorker, { type: Type }>>((resolve) => {
    const listener = (message: FromWorker): void => {
      if (message.type !== type) return;
      child.off("message", listener);
      resolve(message as Extract<FromWorker, { type: Type }>);
    };
    child.on("message", listener);
  });
  const ended = gone.then(() => {
    throw new Error("a client process ended before it was told to");
  });
  return Promise.race([answered, ended]);
}
