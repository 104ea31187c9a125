// Makes sure that the programs the tests start are on this machine, installing Debian's packages
// where we may.
import {
  findAddonTools,
  findChromium,
  findCompiler,
  findMariadb,
  findPgbouncer,
  findPostgres,
  findRedis,
  findValkey,
  onPath,
} from "../packages/test-servers/src/find.mjs";
import { withBackports } from "./lib/apt-backports.mjs";
import { run } from "./lib/child.mjs";
import { paint } from "./lib/print.mjs";
import { step } from "./lib/step.mjs";

const servers = {
  redis: { find: findRedis, package: "redis-server", why: "tests on a real Redis" },
  // Debian has it from 13 on, and Debian 12 among its backports.
  valkey: {
    find: findValkey,
    package: "valkey-server",
    why: "tests on a real Valkey",
    backports: true,
  },
  postgres: { find: findPostgres, package: "postgresql", why: "tests on a real Postgres" },
  pgbouncer: {
    find: findPgbouncer,
    package: "pgbouncer",
    why: "tests on Postgres through a pooler",
  },
  mariadb: { find: findMariadb, package: "mariadb-server", why: "tests on a real MariaDB" },
  compiler: {
    find: findCompiler,
    package: "gcc libc6-dev",
    why: "tests that move a server's clock",
  },
  addonTools: {
    find: findAddonTools,
    package: "python3 make g++",
    why: "SQLite drivers that are compiled",
  },
  chromium: { find: findChromium, package: "chromium", why: "the smoke suite in a browser" },
};

/**
 * Ensures the named servers and returns the reasons why some are still missing.
 *
 * @param {(keyof typeof servers)[]} names
 * @returns {Promise<{ name: string, reason: string }[]>}
 */
export async function ensureServers(names) {
  const absent = names.filter((name) => servers[name].find() === undefined);
  if (absent.length === 0) return [];
  const obstacle = whyNotInstall() ?? (await install(absent));
  return absent
    .filter((name) => servers[name].find() === undefined)
    .map((name) => ({
      name,
      reason: `${servers[name].package} is missing${obstacle ? `: ${obstacle}` : ""}`,
    }));
}

function whyNotInstall() {
  if (process.env.ONCEPROOF_WITHOUT) return "ONCEPROOF_WITHOUT is set";
  if (onPath("apt-get") === undefined) return "there is no apt-get to install it with";
  if (process.getuid?.() !== 0) return "only root may install it";
  return undefined;
}

async function install(names) {
  for (const name of names) {
    console.log(`${servers[name].package} is missing; it is needed for ${servers[name].why}.`);
  }
  const packages = names.flatMap((name) => servers[name].package.split(" "));
  const within = names.some((name) => servers[name].backports) ? withBackports : (use) => use([]);
  return await step(`apt-get install ${packages.join(" ")}`, () =>
    within(async (sources) => {
      const apt = (...args) =>
        run("apt-get", ["-q", "-o", "DPkg::Lock::Timeout=180", ...sources, ...args], {
          capture: true,
          env: { DEBIAN_FRONTEND: "noninteractive" },
        });
      const updated = await apt("update");
      const installed = await apt("install", "-y", "--no-install-recommends", ...packages);
      if (installed.code === 0) return undefined;
      console.log(paint.dim([updated.output, installed.output].join("\n").trim()));
      return "apt-get could not install it (its output is above)";
    }),
  );
}
