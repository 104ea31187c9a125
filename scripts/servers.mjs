// Makes sure that the programs the tests start are on this machine, installing Debian's packages
// where we may.
import {
  findChromium,
  findCompiler,
  findPostgres,
  findRedis,
  onPath,
} from "../packages/test-servers/src/find.mjs";
import { run } from "./lib/child.mjs";
import { paint } from "./lib/print.mjs";
import { step } from "./lib/step.mjs";

const servers = {
  redis: { find: findRedis, package: "redis-server", why: "tests on a real Redis" },
  postgres: { find: findPostgres, package: "postgresql", why: "tests on a real Postgres" },
  compiler: {
    find: findCompiler,
    package: "gcc libc6-dev",
    why: "tests that move a server's clock",
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
  const apt = (...args) =>
    run("apt-get", ["-q", "-o", "DPkg::Lock::Timeout=180", ...args], {
      capture: true,
      env: { DEBIAN_FRONTEND: "noninteractive" },
    });
  return await step(`apt-get install ${packages.join(" ")}`, async () => {
    const updated = await apt("update");
    const installed = await apt("install", "-y", "--no-install-recommends", ...packages);
    if (installed.code === 0) return undefined;
    console.log(paint.dim([updated.output, installed.output].join("\n").trim()));
    return "apt-get could not install it (its output is above)";
  });
}
