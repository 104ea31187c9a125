// Who may import whom, by dependency-cruiser; looking at nothing is a failure.
import { existsSync } from "node:fs";
import { runNode } from "../lib/child.mjs";
import { fromRoot, publishedPackages, root, workspaceMembers } from "../lib/paths.mjs";
import { count } from "../lib/print.mjs";

export const layering = {
  name: "layering",
  summary: "who may import whom (dependency-cruiser)",
  needsBuild: false,
  async run() {
    const sources = workspaceMembers()
      .map((folder) => `${folder}/src`)
      .filter((folder) => existsSync(fromRoot(folder)));
    const cruiser = fromRoot("node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");
    const { output, stdout } = await runNode(
      cruiser,
      ["--config", ".dependency-cruiser.cjs", "--output-type", "json", ...sources],
      { cwd: root, capture: true },
    );
    const result = parse(stdout);
    if (result === undefined) {
      console.log(output.trim());
      return false;
    }
    return judge(result);
  },
};

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function judge({ modules, summary }) {
  const unseen = publishedPackages.filter(
    (folder) => !modules.some(({ source }) => source.startsWith(`${folder}/src/`)),
  );
  for (const folder of unseen) console.log(`No module of ${folder} was looked at.`);
  for (const { rule, from, to, cycle, comment } of summary.violations) {
    const path = cycle ? [from, ...cycle.map((each) => each.name ?? each)] : [from, to];
    console.log(`${rule.name}: ${path.join("\n    -> ")}`);
    if (comment) console.log(`    ${comment}`);
  }
  const imports = summary.totalDependenciesCruised;
  console.log(`${count(summary.totalCruised, "module")}, ${count(imports, "import")} looked at`);
  return unseen.length === 0 && imports > 0 && summary.violations.length === 0;
}
