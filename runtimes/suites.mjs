// The suites: which cases, in which folder of suite/ their entries lie, and where they run.
import { bareContext } from "./hosts/bare-context.mjs";
import { chromium } from "./hosts/chromium.mjs";
import { bun, deno, node } from "./hosts/file-runtimes.mjs";
import { workerd } from "./hosts/workerd.mjs";
import { cases as coreCases } from "./suite/cases.mjs";
import { runs } from "./suite/simulator/specs.mjs";

export const suites = [
  {
    name: "core",
    folder: "",
    bundled: false,
    hosts: [node, bareContext, bun, deno, workerd, chromium],
    cases: coreCases.length,
  },
  {
    name: "simulator",
    folder: "simulator",
    bundled: true,
    // A bare context has neither a tick queue nor messages: each event would wait for a timer.
    hosts: [node, bun, deno, workerd, chromium],
    // Beside the runs: four of hops and four of the guard.
    cases: runs.length + 8,
  },
];
