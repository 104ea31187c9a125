// `npm run bench`: the benchmarks.
import { runProgram } from "../lib/program.mjs";

export const task = {
  name: "bench",
  summary: "measure the algorithms beside a bare Map",
  usage: [],
  program: true,
  plan: (flags) => ({
    needsBuild: true,
    run: () => runProgram("bench/src/main.ts", flags),
  }),
};
