// A context that has the language and the few web globals core declares, and nothing of Node:
// no process, no Buffer, no require. Whatever else core touched would be a ReferenceError.
import { readFileSync } from "node:fs";
import vm from "node:vm";
import { bundle } from "../bundle.mjs";

const webGlobals = () => ({
  AbortController,
  AbortSignal,
  TextEncoder,
  // devalue writes bytes as base64 with these.
  atob,
  btoa,
  clearTimeout: (handle) => clearTimeout(handle),
  crypto: { getRandomValues: (array) => crypto.getRandomValues(array) },
  performance: { now: () => performance.now() },
  setTimeout: (callback, delayMs) => Number(setTimeout(callback, delayMs)),
});

export const bareContext = {
  name: "bare context",
  missing: () => undefined,
  async run() {
    const context = vm.createContext(webGlobals());
    vm.runInContext(readFileSync(await bundle("script.mjs", "iife"), "utf8"), context);
    return await vm.runInContext("runOnceproofSuite()", context);
  },
};
