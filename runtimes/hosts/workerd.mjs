// workerd runs one bundled module; its `test` command needs no port.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programOf } from "../binaries.mjs";
import { bundle, bundles } from "../bundle.mjs";
import { execute } from "../execute.mjs";
import { fromOutput } from "../suite/result-line.mjs";

// The date fixes which behaviours of the platform are on; no nodejs_compat flag.
const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "smoke", worker = .worker)]);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
);
`;

export const workerd = {
  name: "workerd",
  missing: () => (programOf("workerd") === undefined ? "workerd is not installed here" : undefined),
  async run({ folder }) {
    const place = join(bundles, folder, "workerd");
    mkdirSync(place, { recursive: true });
    copyFileSync(await bundle(join(folder, "worker.mjs"), "esm"), join(place, "worker.js"));
    writeFileSync(join(place, "config.capnp"), config);
    return fromOutput(await execute(programOf("workerd"), ["test", join(place, "config.capnp")]));
  },
};
