// Ends what is still running when this process exits or is told to end.

const cleanups = new Set<() => void>();
let installed = false;

/** Registers a synchronous cleanup; the returned function withdraws it. */
export function onExit(cleanup: () => void): () => void {
  if (!installed) install();
  installed = true;
  cleanups.add(cleanup);
  return () => {
    cleanups.delete(cleanup);
  };
}

function install(): void {
  process.on("exit", cleanAll);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const listener = (): void => {
      cleanAll();
      process.removeListener(signal, listener);
      // With nobody else listening, end as the signal would have ended us.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    };
    process.on(signal, listener);
  }
}

function cleanAll(): void {
  // Latest first: a server ends before the folder under it goes.
  for (const cleanup of [...cleanups].reverse()) {
    try {
      cleanup();
    } catch {
      // The next one still has to run.
    }
  }
  cleanups.clear();
}
