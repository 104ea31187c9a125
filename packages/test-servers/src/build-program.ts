// A program of ours as JavaScript that is bundled from its sources: to start that costs a fraction of
// what it costs to translate every source again in each process, and tests start many.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { onExit } from "./exit-cleanup.js";
import { removeFolder } from "./temp-folder.js";

const SOURCES = fileURLToPath(new URL("../../../tsconfig.base.json", import.meta.url));

export interface ProgramSources {
  /** The folder of the package that it belongs to, with a slash at its end. */
  readonly package: URL;
  /** The files that are started or imported by name: what each is called, and its source in the package. */
  readonly entries: Readonly<Record<string, string>>;
  readonly plugins?: readonly Plugin[];
}

/** Laid out as a built package is: its manifest, and all code in `dist`. */
export interface BuiltProgram {
  readonly folder: string;
  /** The file of an entry. */
  file(entry: string): string;
  /** At the latest it is removed when this process ends. */
  remove(): void;
}

/** What names other packages. */
type Manifest = Partial<
  Record<"dependencies" | "devDependencies" | "peerDependencies", Record<string, string>>
>;

/** Bundles a program with our packages; others that its own package names are imported. */
export async function buildProgram(sources: ProgramSources): Promise<BuiltProgram> {
  // Late, since most who import this package start servers only.
  const { build } = await import("esbuild");
  const inPackage = (path: string): string => fileURLToPath(new URL(path, sources.package));
  // Within the package, since its dependencies are looked up from there.
  const parent = inPackage("node_modules/.cache/");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "program-"));
  const withdraw = onExit(() => removeFolder(folder));
  const manifest = inPackage("package.json");
  copyFileSync(manifest, join(folder, "package.json"));
  const { dependencies, devDependencies, peerDependencies } = JSON.parse(
    readFileSync(manifest, "utf8"),
  ) as Manifest;
  const named = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
  await build({
    entryPoints: Object.fromEntries(
      Object.entries(sources.entries).map(([name, path]) => [name, inPackage(path)]),
    ),
    outdir: join(folder, "dist"),
    // Split: else all that is imported only when it is needed would be loaded at every start.
    ...{ bundle: true, splitting: true, platform: "node", format: "esm", target: "node20" },
    external: named.filter((name) => !name.startsWith("@onceproof/")),
    // Under tsx this names the built packages, else the sources.
    tsconfig: process.env.TSX_TSCONFIG_PATH ?? SOURCES,
    plugins: [...(sources.plugins ?? [])],
    sourcemap: true,
    logLevel: "error",
  });
  return {
    folder,
    file: (entry) => join(folder, "dist", `${entry}.js`),
    remove() {
      withdraw();
      removeFolder(folder);
    },
  };
}
