// Builds the published packages whose sources, or whose core, have changed since their last build.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runNode } from "./child.mjs";
import { exclusively } from "./exclusive.mjs";
import { Failure } from "./failure.mjs";
import { fingerprint, isStamped, writeStamp } from "./fingerprint.mjs";
import { cache, fromRoot, publishedPackages } from "./paths.mjs";
import { step } from "./step.mjs";

const [core, ...others] = publishedPackages;

/** Brings every `dist` up to date; `force` builds even what has not changed. */
export async function ensureBuilt({ force = false } = {}) {
  if (!force && publishedPackages.every(isCurrent)) return;
  await exclusively(async () => {
    const stale = (folder) => force || !isCurrent(folder);
    // The declarations of the others are made from core's, so it goes first.
    if (stale(core)) await build(core);
    const failures = (await Promise.allSettled(others.filter(stale).map(build))).filter(
      (result) => result.status === "rejected",
    );
    if (failures.length > 0) throw failures[0].reason;
  });
}

const stampOf = (folder) => join(cache, "build", folder.replace("/", "-"));

function sourceHash(folder) {
  const own = [folder, ...(folder === core ? [] : [core])].flatMap((each) =>
    ["src", "bin", "mutants", "package.json", "tsup.config.ts", "tsconfig.src.json"].map((f) =>
      fromRoot(each, f),
    ),
  );
  const common = ["pnpm-lock.yaml", "tsconfig.base.json", "scripts/tsup-base.ts"];
  return fingerprint([...own, ...common.map((file) => fromRoot(file))]);
}

const isCurrent = (folder) =>
  existsSync(fromRoot(folder, "dist", "index.d.ts")) &&
  existsSync(fromRoot(folder, "dist", "index.js")) &&
  isStamped(stampOf(folder), sourceHash(folder));

async function build(folder) {
  // Taken before the build: a file saved meanwhile makes the next run build again.
  const hash = sourceHash(folder);
  await step(`build ${folder}`, async () => {
    const tsup = fromRoot("node_modules", "tsup", "dist", "cli-default.js");
    const { code, output } = await runNode(tsup, ["--silent"], {
      cwd: fromRoot(folder),
      capture: true,
    });
    if (code !== 0) throw new Failure(`${output.trim()}\n\nThe build of ${folder} failed.`);
  });
  writeStamp(stampOf(folder), hash);
}
