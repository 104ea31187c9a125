// Entry that is bundled into one module for workerd, whose `test` command calls the handler.
import { toLine } from "../result-line.mjs";
import { runCases } from "../run-cases.mjs";
import { cases } from "./cases.mjs";

export default {
  async test() {
    console.log(toLine(await runCases(cases)));
  },
};
