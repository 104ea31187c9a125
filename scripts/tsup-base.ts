// The build that every published package shares: ESM with declarations and source maps.
import type { Options } from "tsup";

/** Maps output names to source files; `types` are the ambient declarations the sources need. */
export function esmBuild(entry: Record<string, string>, types: string[] = ["node"]): Options {
  return {
    entry,
    format: ["esm"],
    target: "es2022",
    platform: "neutral",
    sourcemap: true,
    splitting: true,
    treeshake: true,
    clean: true,
    tsconfig: "tsconfig.src.json",
    dts: {
      compilerOptions: {
        // tsup sets a baseUrl, which TypeScript 6 deprecates.
        ignoreDeprecations: "6.0",
        // Declarations of our other packages come from their builds, as they do for a user.
        paths: {},
        composite: false,
        incremental: false,
        types,
      },
    },
  };
}
