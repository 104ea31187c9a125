// A test that fakes timers holds back nothing that waits for its turn here: not even where it is
// compiled to CommonJS, whose imports are looked up at each use, and fakes `process.nextTick`.
import * as nodeProcess from "node:process";
import * as nodeTimers from "node:timers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import type { writeGatherer } from "../src/gather-writes.js";
import type { sendPacer } from "../src/pace-sends.js";

interface Compiled {
  readonly sendPacer: typeof sendPacer;
  readonly writeGatherer: typeof writeGatherer;
}

/** Loads what waits for turns as CommonJS, and fakes what divides them once it is loaded. */
async function loadThenFake(): Promise<Compiled> {
  const contents = 'export * from "./pace-sends.ts"; export * from "./gather-writes.ts";';
  const resolveDir = fileURLToPath(new URL("../src", import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    format: "cjs",
    platform: "node",
    write: false,
  });
  const modules = { "node:process": { ...nodeProcess }, "node:timers": { ...nodeTimers } };
  const globals = { setImmediate: setImmediate as typeof queueMicrotask };
  const required = (name: string): unknown =>
    name in modules ? modules[name as keyof typeof modules] : process.getBuiltinModule(name);
  const compiled = { exports: {} };
  new Function("require", "module", "setImmediate", `{ ${outputFiles[0]?.text} }`)(
    ...[required, compiled, (callback: () => void) => globals.setImmediate(callback)],
  );
  const never = (() => {}) as never;
  modules["node:process"].nextTick = never;
  modules["node:timers"].setImmediate = never;
  globals.setImmediate = never;
  return compiled.exports as Compiled;
}

test("commands leave in portions all the same", async () => {
  const inTurn = (await loadThenFake()).sendPacer();
  let sent = 0;
  for (let each = 0; each < 100; each += 1) {
    inTurn(() => {
      sent += 1;
    });
  }
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(sent).toBe(100);
});

test("what was held back to leave together leaves at the turn's end all the same", async () => {
  let corked = 0;
  const stream = {
    cork() {
      corked += 1;
    },
    uncork() {
      corked -= 1;
    },
  };
  const beforeSend = (await loadThenFake()).writeGatherer({ stream });
  beforeSend();
  expect(corked).toBe(1);
  await nextTurn();
  expect(corked).toBe(0);
});
