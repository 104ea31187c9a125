// Entry that is bundled into one module for workerd, whose `test` command calls the handler.
import * as core from "../../packages/core/dist/index.js";
import { cases } from "./cases.mjs";
import { toLine } from "./result-line.mjs";
import { runCases } from "./run-cases.mjs";

export default {
  async test() {
    console.log(toLine(await runCases(cases, core)));
  },
};
