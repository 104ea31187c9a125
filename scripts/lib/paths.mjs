// Where things are, so that no script depends on the folder it was called from.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/** Git-ignored: stamps, reports and bundles. */
export const cache = join(root, ".cache");

export const fromRoot = (...parts) => join(root, ...parts);

/** Folders of the workspace members, as paths relative to the root. */
export function workspaceMembers() {
  const nested = ["packages", "examples"].flatMap((parent) =>
    existsSync(fromRoot(parent))
      ? readdirSync(fromRoot(parent), { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map((entry) => `${parent}/${entry.name}`)
      : [],
  );
  return [...nested, "bench"].filter((folder) => existsSync(fromRoot(folder, "package.json")));
}

/** The packages that are published, in build order: each only imports earlier ones. */
export const publishedPackages = [
  "packages/core",
  "packages/redis-adapter",
  "packages/sql-adapter",
  "packages/simulator",
];
