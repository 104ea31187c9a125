// One client of a run: its connections, and the loops that work on them until they are told to end.
// It knows nothing of processes, so that tests run it in their own.
import type { AtomicStore, MultiKeyStore } from "@onceproof/core/advanced";
import { createRecordingStore } from "@onceproof/simulator/checker";
import { breakAdapter } from "../broken.js";
import { type CallLog, openCallLog } from "../log/writer.js";
import { createRandom } from "../random.js";
import { openSinkClient } from "../sink/client.js";
import type { OpenStore } from "../stores/store-kind.js";
import { WORKLOADS } from "../workloads/workloads.js";
import { createLane, isMultiKey } from "./lane.js";
import { startWatchdog, type Watchdog } from "./watchdog.js";

export interface ClientOptions {
  /** Its name in the run, a new one for each life. */
  readonly name: string;
  readonly seed: number;
  readonly folder: string;
  /** When the run began, by `process.hrtime.bigint`. */
  readonly originNs: bigint;
  readonly sinkPort: number;
  readonly broken?: string | undefined;
  /** Which workloads it has; all by default. */
  readonly workloads?: readonly string[] | undefined;
  /** Told the number of store calls that have settled since it was told last. */
  readonly onCalls?: (count: number) => void;
}

export interface Client {
  /** Lets every loop end what it has begun; its connections stay open, to be looked at. */
  finish(): Promise<void>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** How much later than its operation timeout a call may settle; generous, for a busy machine. */
const SETTLE_MARGIN_MS = 2_000;

/** Starts every workload, its lanes spread over the stores. */
export function startClient(stores: readonly OpenStore[], options: ClientOptions): Client {
  const { name, seed, folder, originNs, sinkPort, broken, workloads, onCalls } = options;
  const log = openCallLog(folder, name, originNs);
  const watchdog = startWatchdog(log.hang);
  const sink = openSinkClient(sinkPort);
  let finishing = false;
  let calls = 0;
  const timer = setInterval(() => {
    onCalls?.(calls);
    calls = 0;
  }, 250);
  const chosen = WORKLOADS.filter((each) => workloads?.includes(each.name) ?? true);
  const names = chosen.flatMap(({ name: workload, lanes, workload: work }) =>
    Array.from({ length: lanes }, (_, index) => ({ by: `${name}/${workload}${index + 1}`, work })),
  );
  const running = names.map(async ({ by, work }, index) => {
    const open = stores[index % stores.length] as OpenStore;
    const onCall = (): void => {
      calls += 1;
    };
    const adapter = breakAdapter(broken, open.store);
    const watched = watchStore(noteResends(open, adapter, by, log), watchdog, onCall);
    const store = createRecordingStore(watched, { recorder: log.recorder, process: by });
    // The checker knows no step of several keys: what goes through it is judged by its results.
    const multi = multiKeyOf(adapter, watchStore(adapter, watchdog, onCall), watchdog);
    const random = createRandom(seed, by);
    const { transactions } = open;
    const more = { transactions, broken, sink, log, watchdog, originNs };
    const parts = { by, seed, random, store, multi, ...more };
    const step = work(createLane(parts));
    while (!finishing) {
      try {
        await step();
      } catch (error) {
        log.error(`${by}: ${(error as Error).stack ?? String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  });
  return {
    async finish() {
      finishing = true;
      await Promise.all(running);
      clearInterval(timer);
      onCalls?.(calls);
      watchdog.stop();
      sink.close();
      log.close();
    },
    async close() {
      await Promise.all(stores.map(({ close }) => close()));
    },
  };
}

/**
 * A client that sends again what had no answer asks twice, and may be told of the second: the other
 * is written down beside it. A create may even apply twice (S5), a write under a stamp never does.
 */
function noteResends(
  { resends }: OpenStore,
  store: AtomicStore,
  by: string,
  log: CallLog,
): AtomicStore {
  if (resends === undefined) return store;
  return {
    capabilities: store.capabilities,
    read: (key) => store.read(key),
    async write(write) {
      const at = log.now();
      const before = resends();
      const create = write.expect === "absent" || "absentSince" in write.expect;
      const result = await store.write(write);
      if (resends() !== before || (create && result.outcome === "unknown")) {
        log.again(by, write, at);
      }
      return result;
    },
    close: () => store.close(),
  };
}

const boundMs = ({ capabilities }: AtomicStore): number =>
  capabilities.operationTimeoutMs + SETTLE_MARGIN_MS;

function multiKeyOf(
  adapter: AtomicStore,
  watched: AtomicStore,
  watchdog: Watchdog,
): MultiKeyStore | undefined {
  if (!isMultiKey(adapter)) return undefined;
  return {
    ...watched,
    writeAll: (all) =>
      watchdog.watch(`writeAll ${all.opId}`, boundMs(adapter), adapter.writeAll(all)),
  };
}

function watchStore(store: AtomicStore, watchdog: Watchdog, onCall: () => void): AtomicStore {
  const bound = boundMs(store);
  const watch = <T>(what: string, call: Promise<T>): Promise<T> =>
    watchdog.watch(what, bound, call).finally(onCall);
  return {
    capabilities: store.capabilities,
    read: (key) => watch(`read ${key}`, store.read(key)),
    write: (write) => watch(`write ${write.key} ${write.opId}`, store.write(write)),
    close: () => store.close(),
  };
}
