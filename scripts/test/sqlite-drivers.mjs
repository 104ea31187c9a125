// Installs the SQLite drivers that the workspace does not have, at the pins of scripts/drivers: once,
// and again when a pin or Node has changed.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runNpm } from "../lib/child.mjs";
import { exclusively } from "../lib/exclusive.mjs";
import { Failure } from "../lib/failure.mjs";
import { fingerprint, isStamped, writeStamp } from "../lib/fingerprint.mjs";
import { cache, fromRoot } from "../lib/paths.mjs";
import { step } from "../lib/step.mjs";
import { ensureServers } from "../servers.mjs";

const home = join(cache, "drivers");
const stamp = join(home, "installed");
const pins = ["package.json", "package-lock.json"];
const pinned = (file) => fromRoot("scripts", "drivers", file);

const BETTER_SQLITE3 = join(home, "node_modules", "better-sqlite3");
/** The oldest with node:sqlite, and one that tells more of its connections. */
const NODES = ["node-22", "node-24"].map((name) =>
  join(home, "node_modules", `${name}-${process.platform}-${process.arch}`, "bin", "node"),
);
const VERSION_OF_NODE_SQLITE =
  'new (require("node:sqlite").DatabaseSync)(":memory:").prepare("SELECT sqlite_version() AS v").get().v';

/**
 * @typedef {{ driver: string, version: string, node: string, module?: string }} Driver
 *   `node` is the Node to run it in, `module` the folder of what is not built into that.
 * @returns {Promise<{ installed: Driver[], missing: string[] }>}
 */
export async function installDrivers() {
  const hash = fingerprint(pins.map(pinned));
  await exclusively(async () => {
    if (isStamped(stamp, hash)) return;
    await install();
    writeStamp(stamp, hash);
  });
  const found = NODES.filter((node) => existsSync(node));
  const builtIn = (found.length > 0 ? found : [process.execPath]).flatMap(nodeSqlite);
  return {
    installed: [betterSqlite3(), ...builtIn],
    missing:
      builtIn.length > 0
        ? []
        : ["node:sqlite: neither this Node has it nor one of npm's is for here"],
  };
}

async function install() {
  // Where a compiled driver can be downloaded they are not needed, so their lack is no error yet.
  const missing = await ensureServers(["addonTools"]);
  mkdirSync(home, { recursive: true });
  for (const file of pins) copyFileSync(pinned(file), join(home, file));
  await step("install better-sqlite3 and newer Nodes (to compile it takes a minute)", async () => {
    const args = ["ci", "--no-audit", "--no-fund", "--foreground-scripts"];
    const { code, output } = await runNpm(args, { cwd: home, capture: true });
    if (code === 0 && loads()) return;
    const reasons = missing.map(({ reason }) => `\n${reason}`).join("");
    throw new Failure(
      `${output.trim()}\n\nnpm could not install the SQLite drivers.${reasons}\n` +
        "To compile better-sqlite3 it takes python3, make, g++ and Node's headers, which node-gyp\n" +
        "downloads unless `npm config set nodedir` says where they are.",
    );
  });
}

/** npm may leave out the install script, without an error. */
const loads = () =>
  spawnSync(process.execPath, ["-e", 'new (require(process.argv[1]))(":memory:")', BETTER_SQLITE3])
    .status === 0;

/** @returns {Driver} */
function betterSqlite3() {
  const { version } = JSON.parse(readFileSync(join(BETTER_SQLITE3, "package.json"), "utf8"));
  return {
    driver: "better-sqlite3",
    version: `${version} in Node ${process.versions.node}`,
    node: process.execPath,
    module: BETTER_SQLITE3,
  };
}

/** None if that Node has none. @param {string} node @returns {Driver[]} */
function nodeSqlite(node) {
  const code = `console.log(process.versions.node + ", SQLite " + ${VERSION_OF_NODE_SQLITE})`;
  const { status, stdout } = spawnSync(node, ["-e", code], { encoding: "utf8" });
  return status === 0 ? [{ driver: "node:sqlite", version: `in Node ${stdout.trim()}`, node }] : [];
}
