// What the package's build adds to `dist`.

import { writeFileSync } from "node:fs";
import { bundleFile, bundleMutants } from "./bundle.ts";

export async function writeMutants(): Promise<void> {
  writeFileSync(bundleFile, JSON.stringify(await bundleMutants()));
}
