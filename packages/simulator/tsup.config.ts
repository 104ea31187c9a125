import { defineConfig } from "tsup";
import { esmBuild } from "../../scripts/tsup-base.ts";

export default defineConfig(
  esmBuild({ index: "src/index.ts", "conformance/index": "src/conformance/index.ts" }),
);
