// Packs a package as it would be published: pnpm replaces workspace: and catalog: in its manifest.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "./failure.mjs";
import { runPnpm } from "./install.mjs";
import { fromRoot } from "./paths.mjs";

/** Packs the built package in `folder` (relative to the root) and returns the tarball's path. */
export async function pack(folder, target) {
  mkdirSync(target, { recursive: true });
  const { name, version } = JSON.parse(readFileSync(fromRoot(folder, "package.json"), "utf8"));
  const file = join(target, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
  const args = ["pack", "--pack-destination", target];
  const { output } = await runPnpm(args, { cwd: fromRoot(folder), capture: true });
  if (!existsSync(file)) throw new Failure(`${output.trim()}\n\npnpm could not pack ${folder}.`);
  return file;
}
