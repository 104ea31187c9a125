import { defineConfig } from "tsup";
import { esmBuild } from "../../scripts/tsup-base.ts";
import { writeMutants } from "./mutants/write.ts";

const build = esmBuild({
  index: "src/index.ts",
  "cli/main": "src/cli/main.ts",
  "cli/worker": "src/cli/worker.ts",
  "checker/index": "src/checker/index.ts",
  "conformance/index": "src/conformance/index.ts",
  "fast-check/index": "src/fast-check/index.ts",
});

export default defineConfig({ ...build, onSuccess: writeMutants });
