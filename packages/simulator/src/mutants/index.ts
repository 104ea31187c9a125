// Broken variants of core for the command that runs them: their list, and core with one of them.

export { type CoreModule, coreText, loadCore, loadMutants } from "./load.js";
export { type Family, families, type Mutant } from "./mutant.js";
