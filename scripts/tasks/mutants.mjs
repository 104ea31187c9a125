// `npm run mutants`: whether the simulator notices every broken variant of core.
import { runCommand } from "../lib/command.mjs";

export const task = {
  name: "mutants",
  summary: "show that the simulator notices broken variants of core",
  usage: [],
  program: true,
  plan: (flags) => ({
    needsBuild: true,
    run: () => runCommand(["mutants", ...flags]),
  }),
};
