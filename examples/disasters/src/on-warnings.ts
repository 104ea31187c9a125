// Node 22 announces on stderr that its SQLite is experimental. That is known, and between progress and
// table it is only in the way; every other warning is told as ever.

export function leaveOutSqliteWarning(): void {
  const tell = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name !== "ExperimentalWarning" || !warning.message.startsWith("SQLite")) {
      for (const listener of tell) {
        listener(warning);
      }
    }
  });
}
