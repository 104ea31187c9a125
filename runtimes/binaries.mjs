// Installs the runtimes that come as npm packages, and finds their programs.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const modules = join(here, "node_modules");

/** Where each program lies below node_modules: scope, prefix of the package, path inside it. */
const places = {
  bun: ["@oven", "bun-", ["bin/bun", "bin/bun.exe"]],
  deno: ["@deno", "", ["deno", "deno.exe"]],
  workerd: ["@cloudflare", "workerd-", ["bin/workerd", "bin/workerd.exe"]],
};

const hidden = (name) => (process.env.ONCEPROOF_WITHOUT ?? "").split(",").includes(name);

/** Installs what is missing; returns why that failed, or undefined. */
export function installRuntimes() {
  if (isCurrent() || hidden("runtimes")) return undefined;
  const npm = process.env.npm_execpath?.endsWith("npm-cli.js")
    ? [process.execPath, process.env.npm_execpath]
    : ["npm"];
  // The programs are inside the packages, so their install scripts have nothing to add.
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status, error, stderr } = spawnSync(npm[0], [...npm.slice(1), ...args], {
    cwd: here,
    encoding: "utf8",
    shell: npm.length === 1 && process.platform === "win32",
  });
  if (status === 0) return undefined;
  return `npm could not install the runtimes: ${error?.message ?? stderr.trim().split("\n")[0]}`;
}

/** Path of a runtime's program, or undefined when it is not there or does not run here. */
export function programOf(name) {
  if (hidden(name) || hidden("runtimes")) return undefined;
  const [scope, prefix, files] = places[name];
  if (!existsSync(join(modules, scope))) return undefined;
  return readdirSync(join(modules, scope))
    .filter((folder) => folder.startsWith(prefix))
    .flatMap((folder) => files.map((file) => join(modules, scope, folder, file)))
    .find((file) => existsSync(file) && spawnSync(file, ["--version"]).status === 0);
}

function isCurrent() {
  const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  return Object.entries(dependencies).every(([name, version]) => {
    const manifest = join(modules, name, "package.json");
    return (
      existsSync(manifest) &&
      JSON.parse(readFileSync(manifest, "utf8")).version === version &&
      programOf(name) !== undefined
    );
  });
}
