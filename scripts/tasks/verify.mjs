// `npm run verify`: every scenario under faults, and which guarantee holds where.
import { runCommand } from "../lib/command.mjs";

export const task = {
  name: "verify",
  summary: "explore every scenario under faults, print which guarantee holds where",
  usage: [],
  program: true,
  plan: (flags) => ({
    needsBuild: true,
    run: () => runCommand(["verify", ...flags]),
  }),
};
