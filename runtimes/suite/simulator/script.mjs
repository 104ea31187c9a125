// Entry that is bundled into one classic script, for a browser page.
import { runCases } from "../run-cases.mjs";
import { cases } from "./cases.mjs";

globalThis.runOnceproofSuite = () => runCases(cases);
