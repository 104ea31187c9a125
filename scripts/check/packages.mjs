// Whether the published packages work for a user: publint on what is packed, and attw on how
// their types resolve.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runNode } from "../lib/child.mjs";
import { runPnpm } from "../lib/install.mjs";
import { fromRoot, publishedPackages } from "../lib/paths.mjs";

const attw = fromRoot("node_modules", "@arethetypeswrong", "cli", "dist", "index.js");
const publint = fromRoot("node_modules", "publint", "src", "cli.js");

export const packages = {
  name: "packages",
  summary: "what would be published (publint, attw)",
  needsBuild: true,
  async run() {
    const verdicts = await Promise.all(publishedPackages.map(verdictOn));
    for (const { output } of verdicts) console.log(output);
    return verdicts.every(({ ok }) => ok);
  },
};

async function verdictOn(folder) {
  // Packed by pnpm, which replaces workspace: and catalog: as a publication would.
  const target = mkdtempSync(join(tmpdir(), "onceproof-pack-"));
  try {
    const cwd = fromRoot(folder);
    const packed = await runPnpm(["pack", "--pack-destination", target], { cwd, capture: true });
    const tarball = readdirSync(target).find((name) => name.endsWith(".tgz"));
    if (tarball === undefined) return { ok: false, output: `${folder}\n${packed.output}` };
    const file = join(target, tarball);
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
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}
