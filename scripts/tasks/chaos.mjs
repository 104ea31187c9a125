// `npm run chaos`: client processes on a real server while everything around them fails.
import { runProgram } from "../lib/program.mjs";
import { ensureServers } from "../servers.mjs";

export const task = {
  name: "chaos",
  summary: "let a real server, its network and its clients fail, and judge what was told",
  usage: [],
  program: true,
  plan: (flags) => ({
    needsBuild: true,
    async run() {
      // The program says itself what is missing here, as far as anything of it is needed.
      if (!flags.some((flag) => /^(-h|--help|--judge)/.test(flag))) {
        await ensureServers(["redis", "postgres", "compiler"]);
      }
      return await runProgram("packages/chaos/src/cli/main.ts", flags);
    },
  }),
};
