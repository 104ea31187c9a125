// `npm run build`: every published package into its dist folder.
import { ensureBuilt } from "../lib/build.mjs";
import { refuseRest, takeFlags } from "../lib/flags.mjs";
import { publishedPackages } from "../lib/paths.mjs";
import { count } from "../lib/print.mjs";

export const task = {
  name: "build",
  summary: "build the published packages whose sources changed",
  usage: [["--force", "build also what has not changed"]],
  plan(flags) {
    const { switches, rest } = takeFlags(flags, { switches: ["force"] });
    refuseRest(rest);
    return {
      needsBuild: false,
      async run() {
        await ensureBuilt({ force: switches.has("force") });
        console.log(`${count(publishedPackages.length, "package")} up to date.`);
        return 0;
      },
    };
  },
};
