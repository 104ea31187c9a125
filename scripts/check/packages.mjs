// Whether the published packages are what they should be: publint on what is packed, and attw on how
// their types resolve. The part `consumers` of the tests uses them.
import { runNode } from "../lib/child.mjs";
import { pack } from "../lib/pack.mjs";
import { fromRoot, publishedPackages } from "../lib/paths.mjs";
import { withTempFolder } from "../lib/temp-folder.mjs";

const attw = fromRoot("node_modules", "@arethetypeswrong", "cli", "dist", "index.js");
const publint = fromRoot("node_modules", "publint", "src", "cli.js");

export const packages = {
  name: "packages",
  summary: "what would be published (publint, attw)",
  needsBuild: true,
  run: () =>
    withTempFolder("pack", async (target) => {
      const verdicts = await Promise.all(
        publishedPackages.map((folder) => verdictOn(folder, target)),
      );
      for (const { output } of verdicts) console.log(output);
      return verdicts.every(({ ok }) => ok);
    }),
};

async function verdictOn(folder, target) {
  const cwd = fromRoot(folder);
  const file = await pack(folder, target);
  const results = [
    await runNode(publint, [file, "--strict"], { cwd, capture: true }),
    await runNode(attw, [file, "--profile", "esm-only", "--format", "ascii"], {
      cwd,
      capture: true,
    }),
  ];
  const ok = results.every(({ code }) => code === 0);
  const said = results.map(({ output }) => output.trim()).join("\n");
  return {
    ok,
    output: ok ? `${folder}: packed, publint and attw content` : `${folder}\n${said}`,
  };
}
