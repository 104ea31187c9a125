// Entry that is bundled into one classic script, for places without module resolution: a browser
// page and a bare context. It leaves a function behind that resolves to the results.
import * as core from "../../packages/core/dist/index.js";
import { cases } from "./cases.mjs";
import { runCases } from "./run-cases.mjs";

globalThis.runOnceproofSuite = () => runCases(cases, core);
