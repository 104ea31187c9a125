// Finds server programs on this machine. Plain JavaScript, because the scripts that prepare a bare
// machine read it too, before anything is installed.
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

const OLDEST_POSTGRES = 15;

/** Names that are to count as missing, to see what a machine without them would do. */
const hidden = (name) => (process.env.ONCEPROOF_WITHOUT ?? "").split(",").includes(name);

/** Path of redis-server (or valkey-server), or undefined. */
export function findRedis() {
  if (hidden("redis")) return undefined;
  return onPath("redis-server") ?? onPath("valkey-server");
}

/** Path of valkey-server, or undefined. */
export function findValkey() {
  if (hidden("valkey")) return undefined;
  return onPath("valkey-server");
}

/** Folder that holds `postgres` and `initdb` of the newest version >= 15, or undefined. */
export function findPostgres() {
  if (hidden("postgres")) return undefined;
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : [];
  const folders = versions
    .filter((version) => version >= OLDEST_POSTGRES)
    .sort((a, b) => b - a)
    .map((version) => join(debian, String(version), "bin"));
  return [...folders, ...pathFolders()].find(
    (folder) => isProgram(join(folder, "postgres")) && isProgram(join(folder, "initdb")),
  );
}

/** Path of PgBouncer, or undefined. */
export function findPgbouncer() {
  if (hidden("pgbouncer")) return undefined;
  return onPath("pgbouncer");
}

/** Paths of mariadbd and of the program that makes its data folder, or undefined. */
export function findMariadb() {
  if (hidden("mariadb")) return undefined;
  const server = onPath("mariadbd");
  const install = onPath("mariadb-install-db");
  return server && install ? { server, install } : undefined;
}

/** Path of Chromium, or undefined. */
export function findChromium() {
  if (hidden("chromium")) return undefined;
  return onPath("chromium") ?? onPath("chromium-browser") ?? onPath("google-chrome");
}

/** Path of a C compiler, which the clock shim is made with, or undefined; Linux alone preloads it. */
export function findCompiler() {
  if (hidden("clock-shim") || process.platform !== "linux") return undefined;
  // Without the C library's headers it compiles nothing.
  if (!existsSync("/usr/include/stdlib.h")) return undefined;
  return onPath("cc") ?? onPath("gcc");
}

/** Path of the C++ compiler, where all is there that node-gyp compiles a driver with, or undefined. */
export function findAddonTools() {
  const tools = ["python3", "make", "g++"].map(onPath);
  return tools.includes(undefined) ? undefined : tools.at(-1);
}

/** Path of any program on PATH, or undefined. */
export function onPath(program) {
  return pathFolders()
    .map((folder) => join(folder, program))
    .find(isProgram);
}

// Debian keeps server programs in sbin, which is on root's PATH only.
const pathFolders = () => [
  ...(process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== ""),
  "/usr/local/sbin",
  "/usr/sbin",
];

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
