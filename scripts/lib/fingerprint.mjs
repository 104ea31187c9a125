// A hash over files, so that work is skipped only when nothing it reads has changed.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./paths.mjs";

/** Hash of the paths and contents of files and of whole folders; missing ones count as such. */
export function fingerprint(paths) {
  const hash = createHash("sha256").update(process.versions.node);
  for (const path of paths.flatMap(filesBelow).sort()) {
    hash.update(`\0${relative(root, path)}\0`);
    if (existsSync(path)) hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}

function filesBelow(path) {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.name !== "node_modules")
    .flatMap((entry) => filesBelow(join(path, entry.name)));
}

/** True when `stamp` already holds this hash. */
export const isStamped = (stamp, hash) =>
  existsSync(stamp) && readFileSync(stamp, "utf8").trim() === hash;

export function writeStamp(stamp, hash) {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, `${hash}\n`);
}
