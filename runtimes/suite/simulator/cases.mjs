// What must hold of the simulator in every runtime: the same runs, drained microtasks, a guard that
// stops the run's code and leaves the host's alone.
import { holds, same } from "../expect.mjs";
import {
  createWorld,
  dedupScenario,
  hashTrace,
  macrotaskHop,
  profileOf,
  runScenario,
  tickHop,
} from "./simulator.mjs";
import { runs } from "./specs.mjs";

const hops = { tickHop, macrotaskHop };

/** The hash of a run is the case's value: the report compares it with Node's. */
const runCases = runs.map(({ title, variant, spec }) => ({
  title,
  async run() {
    const scenario = dedupScenario("any", "any", variant, []);
    const hashes = [];
    for (const hop of [tickHop, macrotaskHop]) {
      const { trace, struck } = await runScenario(scenario, spec, { world: { hop, guard: true } });
      holds(struck.length >= Math.min(1, spec.plan.length), "some fault struck");
      hashes.push(hashTrace(trace));
    }
    same(hashes[1], hashes[0], "the hash under the other hop");
    return hashes[0];
  },
}));

const DEEP = 10_000;

async function countsAtHop(hop) {
  let done = 0;
  const count = () => {
    done += 1;
  };
  let chain = Promise.resolve();
  for (let depth = 0; depth < DEEP; depth += 1) chain = chain.then(count);
  const nested = async (depth) => {
    if (depth > 0) await nested(depth - 1);
    count();
  };
  void nested(1_000);
  const again = (left) =>
    void Promise.resolve().then(() => {
      count();
      if (left > 1) again(left - 1);
    });
  again(DEEP);
  let atDrained;
  await hop(() => {
    atDrained = done;
  });
  return { atDrained, atHop: done };
}

const all = 2 * DEEP + 1_001;

const drainCases = Object.entries(hops).flatMap(([name, hop]) => [
  {
    title: `${name} waits for microtasks however deep, asked from a microtask`,
    async run() {
      await undefined;
      same(await countsAtHop(hop), { atDrained: all, atHop: all });
      same(await countsAtHop(hop), { atDrained: all, atHop: all });
    },
  },
  {
    title: `${name} waits for microtasks however deep, asked from a macrotask`,
    async run() {
      const counts = new Promise((resolve) => setTimeout(() => resolve(countsAtHop(hop)), 1));
      same(await counts, { atDrained: all, atHop: all });
    },
  },
]);

const touches = {
  "Date.now()": () => Date.now(),
  "new Date()": () => new Date(),
  "Date()": () => Date(),
  "Math.random()": () => Math.random(),
  "performance.now()": () => performance.now(),
  "setTimeout()": () => setTimeout(() => {}, 0),
  "setInterval()": () => setInterval(() => {}, 1_000),
  "crypto.randomUUID()": () => crypto.randomUUID(),
  "crypto.getRandomValues()": () => crypto.getRandomValues(new Uint8Array(1)),
};

const inWorkerd = globalThis.navigator?.userAgent === "Cloudflare-Workers";

// Browsers offer `crypto.randomUUID` to secure pages alone.
const isHere = (name) => name !== "crypto.randomUUID()" || crypto.randomUUID !== undefined;

const globals = () => [Date, Date.now, Math.random, performance.now, setTimeout, setInterval];

async function guardedRun(hop, work) {
  const world = createWorld({ profile: profileOf("durable"), hop, guard: true });
  let done;
  world.addNode("n", (node) => {
    done = (async () => {
      await node.sleep(1);
      await work(node);
    })();
    done.catch(() => {});
  });
  await world.run(done);
}

const guardCases = Object.entries(hops).flatMap(([name, hop]) => [
  {
    title: `the guard under ${name} names what touched time or randomness, and restores it`,
    async run() {
      const before = globals();
      for (const [global, touch] of Object.entries(touches).filter(([name]) => isHere(name))) {
        const error = await guardedRun(hop, async function plantedWork() {
          try {
            touch();
          } catch {
            // Reported all the same.
          }
        }).catch((caught) => caught);
        same([error?.code, error?.global], ["nondeterministic", global], "the error");
        holds(/:\d+/.test(error.at), `${global} tells its place: ${error.at}`);
        holds(error.stack.includes("plantedWork"), `${global} has its stack: ${error.stack}`);
      }
      holds(
        globals().every((each, index) => each === before[index]),
        "all is restored",
      );
    },
  },
  {
    title: `the guard under ${name} leaves the host's own macrotasks alone`,
    async run() {
      let going = true;
      let turns = 0;
      let tripped;
      const host = () => {
        try {
          for (const touch of [Date.now, touches["performance.now()"], Math.random]) touch();
          turns += 1;
          if (going) setTimeout(host, 0);
        } catch (error) {
          tripped ??= error;
        }
      };
      host();
      const run = guardedRun(hop, async (node) => {
        for (let step = 0; step < 400; step += 1) {
          await node.sleep(1);
          await Promise.resolve();
        }
      });
      const reported = await run.catch((error) => error);
      going = false;
      if (inWorkerd) {
        // It tells nobody when its microtasks are over: a limit that the guard's words state.
        return same(reported?.code, "nondeterministic", "the code of what the run reports");
      }
      same(reported?.message, undefined, "what the run reports");
      same(tripped?.message, undefined, "what tripped the host");
      holds(turns > 0, "the host had a turn");
    },
  },
]);

export const cases = [...runCases, ...drainCases, ...guardCases];
