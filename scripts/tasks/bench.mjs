// `npm run bench`: the benchmarks.
import { runProgram } from "../lib/program.mjs";

export const task = {
  name: "bench",
  summary: "measure the algorithms in memory, and on stores beside bare commands and peers",
  usage: [],
  program: true,
  plan: (flags) => ({
    needsBuild: true,
    run: () => runProgram("bench/src/main.ts", flags),
  }),
};
