// Bundles an entry with the built core, or the simulator, and its dependencies into one file.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
export const bundles = join(here, "..", ".cache", "runtimes");

/**
 * @param {string} entry file name in suite/
 * @param {"esm" | "iife"} format
 * @returns {Promise<string>} path of the bundle
 */
export async function bundle(entry, format) {
  const outfile = join(bundles, entry.replace(/\.mjs$/, ".js"));
  mkdirSync(dirname(outfile), { recursive: true });
  await build({
    entryPoints: [join(here, "suite", entry)],
    outfile,
    format,
    bundle: true,
    // "neutral" resolves no Node builtin: an import of one fails here.
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    logLevel: "silent",
  });
  return outfile;
}
