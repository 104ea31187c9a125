// Holds the store to every clause of the contract and prints the report.

import { runStoreConformance } from "@onceproof/simulator/conformance";
import { createLmdbHarness } from "./harness.js";

const report = await runStoreConformance(createLmdbHarness(), {
  onProgress: (progress) => {
    if (progress.event === "started" && process.stderr.isTTY) {
      process.stderr.write(`\r\x1b[K${progress.index + 1} of ${progress.of}: ${progress.id}`);
    }
  },
});
if (process.stderr.isTTY) {
  process.stderr.write("\r\x1b[K");
}
console.log(String(report));
process.exitCode = report.ok ? 0 : 1;
