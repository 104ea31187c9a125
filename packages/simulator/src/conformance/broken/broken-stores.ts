// Stores that each break one clause in a way that real ones do. A kit that does not reject them is
// not looking; run them against your own harness to see that it is.

import { brokenAmong } from "./broken-among.js";
import { brokenAnswers } from "./broken-answers.js";
import { brokenCapabilities } from "./broken-capabilities.js";
import { brokenRestarts } from "./broken-restarts.js";
import type { BrokenStore } from "./broken-store.js";
import { brokenWrites } from "./broken-writes.js";

/** The broken stores that ship with the kit. */
export const brokenStores: readonly BrokenStore[] = [
  ...brokenWrites,
  ...brokenAnswers,
  ...brokenCapabilities,
  ...brokenAmong,
  ...brokenRestarts,
];
