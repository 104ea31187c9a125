// Lint, formatting and import order, all by Biome.
import { runNode } from "../lib/child.mjs";
import { fromRoot, root } from "../lib/paths.mjs";

export const lint = {
  name: "lint",
  summary: "lint, formatting and import order (Biome)",
  needsBuild: false,
  async run({ fix }) {
    const biome = fromRoot("node_modules", "@biomejs", "biome", "bin", "biome");
    const { code } = await runNode(
      biome,
      ["check", "--error-on-warnings", ...(fix ? ["--write"] : []), "."],
      {
        cwd: root,
      },
    );
    return code === 0;
  },
};
