// Notices calls that do not settle. It counts only the time in which this process was running: one
// that was stopped, or got no core, has not been kept waiting by anybody.

export interface Watchdog {
  /** Passes the call on; one that has not settled after so much running time is told of once. */
  watch<T>(what: string, boundMs: number, call: Promise<T>): Promise<T>;
  stop(): void;
}

const TICK_MS = 50;
const LONGEST_TICK_MS = 2 * TICK_MS;

interface Open {
  readonly what: string;
  readonly since: number;
  readonly boundMs: number;
}

export function startWatchdog(onHang: (what: string, ms: number) => void): Watchdog {
  const open = new Set<Open>();
  let runningMs = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    runningMs += Math.min(now - last, LONGEST_TICK_MS);
    last = now;
    for (const call of open) {
      const ms = runningMs - call.since;
      if (ms <= call.boundMs) continue;
      open.delete(call);
      onHang(call.what, ms);
    }
  }, TICK_MS);
  return {
    async watch(what, boundMs, call) {
      const entry = { what, since: runningMs, boundMs };
      open.add(entry);
      try {
        return await call;
      } finally {
        open.delete(entry);
      }
    },
    stop: () => clearInterval(timer),
  };
}
