// Which version of a library is measured, by its own manifest.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

export function versionOf(library: string): string {
  // Not every library exports its manifest, so look upwards from its main file.
  for (let folder = dirname(require.resolve(library)); ; folder = dirname(folder)) {
    try {
      const file = readFileSync(join(folder, "package.json"), "utf8");
      const { name, version } = JSON.parse(file) as { name?: string; version?: string };
      if (name === library && version !== undefined) {
        return version.replace(/^v/, "");
      }
    } catch {
      // No manifest here.
    }
    if (folder === dirname(folder)) {
      throw new Error(`no manifest of ${library} was found`);
    }
  }
}
