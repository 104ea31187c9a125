import { defineConfig } from "tsup";
import { esmBuild } from "../../scripts/tsup-base.ts";

export default defineConfig(
  esmBuild({ index: "src/index.ts", advanced: "src/advanced.ts" }, ["./src/globals.d.ts"]),
);
