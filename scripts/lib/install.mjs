// Installs pnpm at its pin and then the workspace, when the lock file or a manifest has changed.
import { existsSync, readFileSync } from "node:fs";
import { runNode, runNpm } from "./child.mjs";
import { exclusively } from "./exclusive.mjs";
import { Failure } from "./failure.mjs";
import { fingerprint, isStamped, writeStamp } from "./fingerprint.mjs";
import { fromRoot, root, workspaceMembers } from "./paths.mjs";
import { step } from "./step.mjs";

const pnpmHome = fromRoot("scripts", "pnpm");
const pnpmFile = fromRoot("scripts", "pnpm", "node_modules", "pnpm", "bin", "pnpm.cjs");
const stamp = fromRoot("node_modules", ".onceproof-install");

/** Makes `node_modules` match the lock file; does nothing when it already does. */
export async function ensureInstalled() {
  if (isCurrent()) return;
  await exclusively(async () => {
    if (isCurrent()) return;
    if (!pnpmIsPinned()) await step("install pnpm at its pin", installPnpm);
    await step("install the workspace (the first time takes about half a minute)", installAll);
    writeStamp(stamp, manifestHash());
  });
}

/** Runs the pinned pnpm. */
export const runPnpm = (args, options) => runNode(pnpmFile, args, { cwd: root, ...options });

function manifestHash() {
  return fingerprint([
    ...["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ".npmrc"].map((f) => fromRoot(f)),
    ...workspaceMembers().map((folder) => fromRoot(folder, "package.json")),
    fromRoot("scripts", "pnpm", "package-lock.json"),
  ]);
}

function isCurrent() {
  return isStamped(stamp, manifestHash()) && workspaceMembers().every(hasItsModules);
}

function hasItsModules(folder) {
  const manifest = JSON.parse(readFileSync(fromRoot(folder, "package.json"), "utf8"));
  const wanted = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  return wanted.every((name) => existsSync(fromRoot(folder, "node_modules", name)));
}

function pnpmIsPinned() {
  const installed = fromRoot("scripts", "pnpm", "node_modules", "pnpm", "package.json");
  if (!existsSync(installed) || !existsSync(pnpmFile)) return false;
  const { dependencies } = JSON.parse(readFileSync(fromRoot("scripts/pnpm/package.json"), "utf8"));
  return JSON.parse(readFileSync(installed, "utf8")).version === dependencies.pnpm;
}

async function installPnpm() {
  const { code, output } = await runNpm(["ci", "--no-audit", "--no-fund"], {
    cwd: pnpmHome,
    capture: true,
  });
  if (code !== 0) throw installFailure("npm could not install pnpm", output);
}

async function installAll() {
  const { code, output } = await runPnpm(["install", "--frozen-lockfile"], { capture: true });
  if (code !== 0) throw installFailure("pnpm could not install the workspace", output);
}

function installFailure(what, output) {
  const advice = output.includes("ERR_PNPM_OUTDATED_LOCKFILE")
    ? "A package.json changed without its lock file. Update it:\n" +
      "  node scripts/pnpm/node_modules/pnpm/bin/pnpm.cjs install --no-frozen-lockfile"
    : "Check that the npm registry can be reached (`npm ping`; a proxy or a mirror is set with\n" +
      "`npm config set proxy|registry`) and that the disk has about 500 MB free. To start afresh,\n" +
      "delete node_modules and scripts/pnpm/node_modules, then run this again.";
  return new Failure(`${output.trim()}\n\n${what}.\n${advice}`);
}
