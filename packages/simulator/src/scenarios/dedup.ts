// Scenarios of dedup: an order service on two nodes that charges a bank, once per policy and kind of
// sink. The naive bank takes whatever comes, so that it hides nothing.

import type { Dedup, DedupContext, Resolution } from "@onceproof/core";
import { ALL_PROFILES } from "../world/profile.js";
import type { Node } from "../world/world.js";
import { askAll, type Serve } from "./clients.js";
import { BANK, type BankKind, createBank } from "./dedup-bank.js";
import {
  DEDUP_TIMES,
  DEDUP_WORKLOADS,
  type DedupAsk,
  type DedupWorkload,
  dedupAsk,
  MAX_SKEW_MS,
  MORE_WORKLOADS,
  type Outage,
  type Person,
} from "./dedup-workloads.js";
import type { Charge, Look } from "./recorded.js";
import type { Acts, Scenario, Stage, Stated } from "./scenario.js";

export { BANK } from "./dedup-bank.js";
export * from "./dedup-workloads.js";

const NODES = ["api-1", "api-2"];
/** Where people resolve keys: a node that no fault strikes by itself. */
const OFFICE = "office";
/** The wall-clock time at which a world starts. */
const START_MS = 1_800_000_000_000;
/** The run in the value that a person records. */
const PERSON = -1;

export type DedupVariant = {
  readonly policy: "park" | "rerun" | "verify";
  readonly bank: BankKind;
};

/** Builds the scenario of a variant; its guarantees come with it. */
export function dedupScenario(
  id: string,
  title: string,
  variant: DedupVariant,
  states: readonly Stated<DedupWorkload>[],
): Scenario<DedupWorkload> {
  return {
    id: `dedup/${id}`,
    algorithm: "dedup",
    title,
    times: DEDUP_TIMES,
    profiles: ALL_PROFILES,
    targets: [
      { from: NODES, to: "store" },
      // A copy of one and the same request: only a sink that dedups can tell.
      { from: NODES, to: BANK, ...(variant.bank !== "childKey" && { without: ["duplicate"] }) },
    ],
    workloads: [...DEDUP_WORKLOADS, ...(MORE_WORKLOADS[id] ?? [])],
    states,
    play: (stage) => play(stage, variant),
  };
}

/** A caller asks again after these. */
const UNSETTLED = new Set(["inProgress", "indeterminate", "threw"]);

/** The store of a node that is refused connections now and then. */
function cutOff(
  { world, core }: Stage<DedupWorkload>,
  { name, life, store }: Node,
  outages: readonly Outage[],
  looks: Look[],
): Node["store"] {
  const own = outages.filter(({ node }) => node === name);
  if (own.length === 0) {
    return store;
  }
  const guarded =
    <A, R>(call: (argument: A) => Promise<R>) =>
    (argument: A): Promise<R> => {
      const nowMs = world.elapsedUs / 1000;
      if (!own.some(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs)) {
        return call(argument);
      }
      world.recorder.told(name, "the store refused the connection");
      return Promise.reject(new core.StoreError("unavailable", "the connection was refused"));
    };
  const read = guarded(store.read);
  const write = guarded(store.write);
  const note = (): void => {
    looks.push({ by: name, life, atUs: world.elapsedUs });
  };
  return {
    ...store,
    read: (key) => {
      const reading = read(key);
      reading.then(note, note);
      return reading;
    },
    write: (asked) => {
      const writing = write(asked);
      writing.then(() => undefined, note);
      return writing;
    },
  };
}

function play(stage: Stage<DedupWorkload>, variant: DedupVariant): Acts {
  const { world, core, profile, workload } = stage;
  const bank = createBank(stage, variant.bank);
  const services = new Map<string, Serve<DedupAsk>>();
  const dedups = new Map<string, Dedup>();

  const { outages = [] } = workload;
  const looks: Look[] = [];
  world.recorder.finding("looks", { of: outages.map(({ node }) => node), looks });
  let runs = 0;

  const serviceOf = (node: Node): Serve<DedupAsk> => {
    const dedup = core.createDedup({
      store: cutOff(stage, node, outages, looks),
      runtime: node.runtime,
      name: "pay",
      onCrash: variant.policy === "verify" ? (ctx) => bank.verify(node, ctx) : variant.policy,
      leaseMs: DEDUP_TIMES.leaseMs,
      retentionMs: DEDUP_TIMES.retentionMs,
      waitMs: 800,
      settleMs: 600,
      maxSkewMs: MAX_SKEW_MS,
      onEvent: (event) => world.recorder.told(node.name, event.type),
    });
    dedups.set(node.name, dedup);
    const handle = async (
      ctx: DedupContext,
      { key, end, beforeMs, afterMs, step }: DedupAsk,
      operation: number,
    ): Promise<Charge> => {
      runs += 1;
      const run = runs;
      const { attempt, takeover, fencingToken } = ctx;
      const by = { by: node.name, life: node.life, key, operation, fencingToken };
      const ended = world.recorder.span({
        ...by,
        kind: "handler",
        detail: { run, attempt, takeover },
      });
      const takeStep = async (times: number): Promise<void> => {
        const endings: ((result: unknown) => void)[] = [];
        const prepare = (): number => {
          endings.push(world.recorder.span({ ...by, kind: "step", detail: { run, attempt } }));
          return run;
        };
        await Promise.all(Array.from({ length: times }, () => ctx.step("prepare", prepare)));
        for (const stepped of endings) {
          stepped("recorded");
        }
      };
      try {
        await node.sleep(beforeMs);
        if (step !== undefined && step !== false) {
          await takeStep(step === "twice" ? 2 : 1);
        }
        if (end === "throwsFinal") {
          throw new core.Final("declined", "the bank said no");
        }
        if (end === "throwsBeforeEffect") {
          throw new Error("something went wrong before the charge");
        }
        if (end === "throwsRetryable" || (end === "throwsRetryableFirst" && attempt === 1)) {
          throw new core.Retryable("not yet");
        }
        const charge = await bank.charge(ctx, run, node, operation);
        await node.sleep(afterMs);
        if (end === "throwsAfterEffect") {
          throw new Error("something went wrong after the charge");
        }
        ended("returned");
        return charge;
      } catch (error) {
        ended("threw");
        throw error;
      }
    };
    return async (asked) => {
      const { key, fingerprint, bornMs } = asked;
      try {
        const result = await world.recorder.operation(
          {
            by: node.name,
            life: node.life,
            method: "dedup.attempt",
            key,
            input: { client: asked.client, end: asked.end, fingerprint, bornMs },
          },
          (operation) =>
            dedup.attempt(key, (ctx) => handle(ctx, asked, operation), {
              ...(fingerprint !== undefined && { fingerprint }),
              ...(bornMs !== undefined && { issuedAtMs: START_MS + bornMs }),
            }),
        );
        return UNSETTLED.has(result.outcome) ? "again" : "settled";
      } catch {
        return "again";
      }
    };
  };

  const start = (name: string): void =>
    world.addNode(name, (node) => services.set(name, serviceOf(node)));
  for (const name of NODES) {
    start(name);
  }
  const { people = [] } = workload;
  if (people.length > 0) {
    start(OFFICE);
  }
  const resolveOne = async ({ atMs, key, outcome }: Person): Promise<void> => {
    await world.addClient(`person-${atMs}`).sleep(atMs);
    const found: Resolution =
      outcome === "done"
        ? { outcome, value: { key, run: PERSON } }
        : outcome === "failed"
          ? { outcome, code: "person", message: "a person said no" }
          : { outcome };
    const asked = { by: OFFICE, life: 1, method: "dedup.resolve", key, input: { outcome } };
    const resolve = async (): Promise<unknown> => dedups.get(OFFICE)?.resolve(key, found);
    await world.recorder.operation(asked, resolve).catch(() => undefined);
  };
  const { stepBack } = workload;
  if (stepBack !== undefined && profile.clockBack === "none") {
    const { atMs, byMs } = stepBack;
    const clock = world.addClient("clock");
    void clock.sleep(atMs).then(() => {
      world.server.jumpClock(-byMs * 1000);
      world.recorder.told("clock", `the store's clock stepped back by ${byMs} ms`);
    });
  }
  return {
    main: Promise.all([askAll(world, workload.asks, services), ...people.map(resolveOne)]).then(
      () => undefined,
    ),
    async settle() {
      start("last");
      const keys = [...new Set(workload.asks.map(({ key }) => key))];
      const asks = keys.map((key) => {
        const last = { client: `last-${key}`, key, to: ["last"], tries: 6, gapMs: 1_000 };
        const { fingerprint, bornMs } = workload.asks.find((each) => each.key === key) ?? {};
        return dedupAsk({
          ...last,
          ...(fingerprint !== undefined && { fingerprint }),
          ...(bornMs !== undefined && { bornMs }),
        });
      });
      await askAll(world, asks, services);
    },
  };
}
