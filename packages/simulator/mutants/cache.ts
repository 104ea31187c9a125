// The bundle of the sources as they are now, made again only when something that it is made of has
// changed: child processes and test files share it.

import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "esbuild";
import type { MutantBundle } from "../src/mutants/bundle.ts";
import { bundleMutants, coreRoot } from "./bundle.ts";

const own = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = join(root, "node_modules/.cache/onceproof-mutants");

function filesBelow(path: string): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)],
  );
}

/** A hash of core's sources, of the mutants and of what bundles them. */
function hashOfSources(): string {
  const hash = createHash("sha256").update(version);
  const files = [...filesBelow(join(coreRoot, "src")), ...filesBelow(own)].sort();
  // The lockfile, since dependencies of core are bundled too.
  for (const file of [...files, join(root, "pnpm-lock.yaml")]) {
    hash.update(`\0${file}\0`).update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 32);
}

/** The bundle of the sources as they are. */
export async function currentBundle(): Promise<MutantBundle> {
  const file = join(folder, `${hashOfSources()}.json`);
  try {
    return JSON.parse(readFileSync(file, "utf8")) as MutantBundle;
  } catch {
    const bundle = await bundleMutants();
    mkdirSync(folder, { recursive: true });
    // Bundles of earlier sources: who still reads one has it whole, or makes it again.
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".json"))) {
      rmSync(join(folder, name), { force: true });
    }
    // Under another name first: a process that starts meanwhile must not read half of it.
    const draft = join(folder, `${randomUUID()}.draft`);
    writeFileSync(draft, JSON.stringify(bundle));
    renameSync(draft, file);
    return bundle;
  }
}
