// `npm start`: the classic disasters, without and with Onceproof.
import { runProgram } from "../lib/program.mjs";

export const task = {
  name: "start",
  summary: "run the classic disasters without and with Onceproof, and print what happened",
  usage: [],
  program: true,
  plan: (flags) => ({
    needsBuild: true,
    run: () => runProgram("examples/disasters/src/main.ts", flags),
  }),
};
