// The client processes of a run: started, killed, stopped, replaced, and ended with the run.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { FromWorker, ToWorker, WorkerOptions } from "../worker/protocol.js";

export interface Worker {
  kill(signal: NodeJS.Signals): void;
  /** Asks it to end what it has begun; false if it did not within the time, and was killed. */
  finish(withinMs: number): Promise<boolean>;
  /** Asks it to close its connections and end; false if it had to be killed. */
  close(withinMs: number): Promise<boolean>;
  /** Whether it has ended though nobody told it to. */
  died(): boolean;
  /** Ends it at once. */
  end(): Promise<void>;
}

const running = new Set<ChildProcess>();
let endsAll = false;

/** However this process ends, they end too. One listener for all: Node warns of more than ten. */
function endWithUs(child: ChildProcess, gone: Promise<unknown>): void {
  running.add(child);
  void gone.then(() => running.delete(child));
  if (endsAll) return;
  endsAll = true;
  process.once("exit", () => {
    for (const each of running) each.kill("SIGKILL");
  });
}

/** How many times two processes compare their clocks. */
const CLOCK_LOOKS = 5;

/**
 * Starts a client process.
 *
 * Fails: Error if its monotonic clock is not ours, as then no history could be put in order.
 */
export async function startWorker(
  program: string,
  options: WorkerOptions,
  onCalls: (count: number) => void,
): Promise<Worker> {
  const child = fork(program, [], {
    execArgv: ["--enable-source-maps"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const gone = once(child, "exit");
  let wanted = false;
  let died = false;
  void gone.then(() => {
    died = !wanted;
  });
  endWithUs(child, gone);
  const send = (message: ToWorker): void => {
    child.send(message, () => {});
  };
  child.on("error", () => {});
  child.on("message", (message: FromWorker) => {
    if (message.type === "calls") onCalls(message.count);
  });
  const within = async (ms: number, done: Promise<unknown>): Promise<boolean> => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      wanted = true;
      child.kill("SIGKILL");
    }, ms);
    const came = await done.then(
      () => true,
      () => false,
    );
    clearTimeout(timer);
    return came && !late;
  };
  await compareClocks(child, send, gone);
  send({ type: "start", options });
  await answer(child, "started", gone);
  return {
    kill: (signal) => void child.kill(signal),
    died: () => died,
    finish(withinMs) {
      const finished = answer(child, "finished", gone);
      send({ type: "finish" });
      return within(withinMs, finished);
    },
    close(withinMs) {
      wanted = true;
      send({ type: "close" });
      return within(withinMs, gone);
    },
    async end() {
      wanted = true;
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
