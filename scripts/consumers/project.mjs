// A user's project: empty but for the packed packages and the clients that they are used with.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { runNpm } from "../lib/child.mjs";
import { Failure } from "../lib/failure.mjs";
import { pack } from "../lib/pack.mjs";
import { fromRoot, publishedPackages } from "../lib/paths.mjs";

// The oldest TypeScript that is promised; the newest is the workspace's own.
const OLD_TYPESCRIPT = "5.9.3";

/** What a user brings, at the workspace's pins: where each is found there, by the name it gets. */
const brought = {
  ioredis: "packages/redis-adapter",
  ioredis6: "packages/redis-adapter",
  redis: "packages/redis-adapter",
  redis6: "packages/redis-adapter",
  pg: "packages/sql-adapter",
  "@types/pg": "packages/sql-adapter",
  mysql2: "packages/sql-adapter",
  libsql: "packages/sql-adapter",
  "@types/node": "",
  "fast-check": "packages/simulator",
};

/**
 * @typedef {{ name: string, folder: string, source: string, manifest: object, entries: string[] }} Packed
 *   An installed package, where its source is, and how its entry points are imported.
 * @typedef {{ folder: string, packages: Packed[] }} Project
 */

/** Packs and installs everything in `folder`. @returns {Promise<Project>} */
export async function createProject(folder) {
  const packed = join(folder, "packed");
  const files = await Promise.all(publishedPackages.map((source) => pack(source, packed)));
  const project = join(folder, "project");
  mkdirSync(project);
  // All at once: a package that names another by its version finds it here and asks no registry.
  const own = publishedPackages.map((source, at) => [
    readManifest(fromRoot(source)).name,
    `file:../packed/${basename(files[at])}`,
  ]);
  const others = Object.entries(brought).map(([name, user]) => [name, pinned(name, user)]);
  const dependencies = Object.fromEntries([...own, ...others]);
  write(project, "package.json", {
    name: "consumer",
    private: true,
    type: "module",
    dependencies: { ...dependencies, typescript5: `npm:typescript@${OLD_TYPESCRIPT}` },
  });
  await install(project);
  return {
    folder: project,
    packages: publishedPackages.map((source) => installed(project, source)),
  };
}

async function install(cwd) {
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { code, output } = await runNpm(args, { cwd, capture: true });
  if (code !== 0) {
    throw new Failure(
      `${output.trim()}\n\nnpm could not install the packed packages with what they depend on. What ` +
        "npm has not cached comes from the registry: check that it can be reached (`npm ping`).",
    );
  }
}

function pinned(name, user) {
  const manifest = readManifest(fromRoot(user, "node_modules", name));
  return manifest.name === name ? manifest.version : `npm:${manifest.name}@${manifest.version}`;
}

/** @returns {Packed} */
function installed(project, source) {
  const { name } = readManifest(fromRoot(source));
  const folder = join(project, "node_modules", name);
  const manifest = readManifest(folder);
  const entries = Object.keys(manifest.exports)
    .filter((path) => path !== "./package.json")
    .map((path) => name + path.slice(1));
  return { name, folder, source, manifest, entries };
}

export const readManifest = (folder) =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Writes a file of the project: text as it is, anything else as JSON. */
export function write(folder, name, content) {
  const file = join(folder, name);
  writeFileSync(
    file,
    typeof content === "string" ? content : JSON.stringify(content, undefined, 2),
  );
  return file;
}
