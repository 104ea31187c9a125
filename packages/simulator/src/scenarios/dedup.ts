// Scenarios of dedup: an order service on two nodes that charges a bank, once per policy and kind of
// sink. The naive bank takes whatever comes, so that it hides nothing.

import type { Dedup, DedupContext, Resolution, VerifyAnswer } from "@onceproof/core";
import type { Node } from "../world/world.js";
import { type Ask, askAll, type Serve } from "./clients.js";
import type { Charge, HandlerEnd } from "./recorded.js";
import type { Acts, NamedWorkload, Scenario, Stage, Stated, Times } from "./scenario.js";

export interface DedupAsk extends Ask {
  readonly key: string;
  readonly end: HandlerEnd;
  /** Work before the effect and after it. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Whether it does a recorded step before the effect. */
  readonly step?: boolean;
  readonly fingerprint?: string;
}

/** What a person finds out about a key, rightly or not. */
export interface Person {
  readonly atMs: number;
  readonly key: string;
  readonly outcome: "done" | "failed" | "notDone";
}

export interface DedupWorkload {
  readonly asks: readonly DedupAsk[];
  readonly people?: readonly Person[];
}

export const DEDUP_TIMES: Times = {
  operationTimeoutMs: 200,
  tombstoneMs: 10_000,
  leaseMs: 1_500,
  retentionMs: 30_000,
};

const NODES = ["api-1", "api-2"];
/** Where people resolve keys: a node that no fault strikes by itself. */
const OFFICE = "office";
/** The run in the value that a person records. */
const PERSON = -1;
export const BANK = "bank";

export type DedupVariant = {
  readonly policy: "park" | "rerun" | "verify";
  /** What the bank does: takes all, dedups by child key, or refuses older fencing tokens. */
  readonly bank: "naive" | "childKey" | "fenced";
};

const ask = (over: Partial<DedupAsk>): DedupAsk => ({
  client: "alice",
  atMs: 0,
  to: ["api-1", "api-2"],
  tries: 4,
  patienceMs: 2_500,
  gapMs: 400,
  key: "k1",
  end: "returns",
  beforeMs: 2,
  afterMs: 2,
  ...over,
});

export const DEDUP_WORKLOADS: readonly NamedWorkload<DedupWorkload>[] = [
  {
    id: "double-click",
    title: "two callers of one key at the same time, and one later",
    workload: {
      asks: [
        ask({}),
        ask({ client: "bob", atMs: 1, to: ["api-2", "api-1"] }),
        ask({ client: "carol", atMs: 5_000, to: ["api-2"] }),
      ],
    },
  },
  {
    id: "steps",
    title: "a handler with a recorded step that outlasts a renewal",
    workload: {
      asks: [
        ask({ step: true, beforeMs: 300, afterMs: 700 }),
        ask({ client: "bob", atMs: 900, to: ["api-2", "api-1"], step: true, beforeMs: 300 }),
      ],
    },
  },
  {
    id: "rejection",
    title: "a business rejection, and its duplicate with another payload",
    workload: {
      asks: [
        ask({ end: "throwsFinal", fingerprint: "a" }),
        ask({ client: "bob", atMs: 3, to: ["api-2"], end: "throwsFinal", fingerprint: "a" }),
        ask({ client: "carol", atMs: 6, to: ["api-2"], fingerprint: "b", tries: 1 }),
      ],
    },
  },
  {
    id: "errors",
    title: "a retryable error, then an error that nobody judged",
    workload: {
      asks: [
        ask({ end: "throwsRetryableFirst", step: true }),
        ask({ client: "bob", key: "k2", end: "throwsAfterEffect", to: ["api-2", "api-1"] }),
        ask({ client: "carol", key: "k2", atMs: 20, to: ["api-1"] }),
      ],
    },
  },
  {
    id: "people",
    title:
      "a person resolves a key whose attempt ended without a known outcome, another is too late",
    workload: {
      asks: [
        ask({ end: "throwsAfterEffect", tries: 6, gapMs: 600 }),
        ask({ client: "bob", key: "k2", to: ["api-2", "api-1"] }),
      ],
      people: [
        { atMs: 300, key: "k1", outcome: "done" },
        { atMs: 900, key: "k1", outcome: "failed" },
        { atMs: 4, key: "k2", outcome: "failed" },
      ],
    },
  },
  {
    id: "retention-edge",
    title: "a duplicate shortly before the retention ends, and one long after",
    workload: {
      asks: [
        ask({}),
        ask({ client: "bob", atMs: 0.9 * DEDUP_TIMES.retentionMs, to: ["api-2"] }),
        ask({ client: "carol", atMs: 50_000, to: ["api-1"] }),
      ],
    },
    long: true,
  },
];

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
    profiles: [
      "durable",
      "single-key",
      "clock-back",
      "unsynced",
      "failover",
      "failover-lagging",
      "evicting",
      "stale-reads",
      "clock-far-back",
    ],
    targets: [
      { from: NODES, to: "store" },
      // A copy of one and the same request: only a sink that dedups can tell.
      { from: NODES, to: BANK, ...(variant.bank !== "childKey" && { without: ["duplicate"] }) },
    ],
    workloads: DEDUP_WORKLOADS,
    states,
    play: (stage) => play(stage, variant),
  };
}

/** The bank: what it does with a charge, and what it answers a verify. */
interface Bank {
  charge(ctx: DedupContext, run: number, node: Node, operation: number): Promise<Charge>;
  verify(node: Node, ctx: { key: string; fencingToken: number }): Promise<VerifyAnswer>;
}

function createBank({ world }: Stage, kind: DedupVariant["bank"]): Bank {
  const charges: Charge[] = [];
  const byChild = new Map<string, Charge>();
  const fences = new Map<string, number>();
  return {
    charge: (ctx, run, node, operation) => {
      const { key, fencingToken } = ctx;
      const childKey = ctx.childKey("charge");
      return node.call(BANK, `charge ${key}`, () => {
        const known = kind === "childKey" ? byChild.get(childKey) : undefined;
        const stale = kind === "fenced" && fencingToken < (fences.get(key) ?? 0);
        const accepted = known === undefined && !stale;
        world.recorder.effect({
          sink: BANK,
          key,
          by: node.name,
          operation,
          accepted,
          fencingToken,
          value: run,
        });
        if (stale) {
          throw new Error("the bank has seen a newer fencing token");
        }
        if (known !== undefined) {
          return known;
        }
        const charge = { key, run };
        fences.set(key, Math.max(fences.get(key) ?? 0, fencingToken));
        byChild.set(childKey, charge);
        charges.push(charge);
        return charge;
      });
    },
    verify: async (node, { key, fencingToken }) => {
      try {
        return await node.call<VerifyAnswer>(BANK, `verify ${key}`, () => {
          fences.set(key, Math.max(fences.get(key) ?? 0, fencingToken));
          const done = charges.find((charge) => charge.key === key);
          return done === undefined
            ? { answer: "notDone" }
            : { answer: "done", value: { key, run: done.run } };
        });
      } catch {
        return { answer: "unknown" };
      }
    },
  };
}

/** A caller asks again after these. */
const UNSETTLED = new Set(["inProgress", "indeterminate", "threw"]);

function play(stage: Stage<DedupWorkload>, variant: DedupVariant): Acts {
  const { world, core, workload } = stage;
  const bank = createBank(stage, variant.bank);
  const services = new Map<string, Serve<DedupAsk>>();
  const dedups = new Map<string, Dedup>();
  let runs = 0;

  const serviceOf = (node: Node): Serve<DedupAsk> => {
    const dedup = core.createDedup({
      store: node.store,
      runtime: node.runtime,
      name: "pay",
      onCrash: variant.policy === "verify" ? (ctx) => bank.verify(node, ctx) : variant.policy,
      leaseMs: DEDUP_TIMES.leaseMs,
      retentionMs: DEDUP_TIMES.retentionMs,
      waitMs: 800,
      settleMs: 600,
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
      try {
        await node.sleep(beforeMs);
        if (step) {
          await ctx.step("prepare", () => {
            const stepped = world.recorder.span({ ...by, kind: "step", detail: { run, attempt } });
            stepped("ran");
            return run;
          });
        }
        if (end === "throwsFinal") {
          throw new core.Final("declined", "the bank said no");
        }
        if (end === "throwsRetryableFirst" && attempt === 1) {
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
      const { key, fingerprint } = asked;
      try {
        const result = await world.recorder.operation(
          {
            by: node.name,
            life: node.life,
            method: "dedup.attempt",
            key,
            input: { client: asked.client, end: asked.end, fingerprint },
          },
          (operation) =>
            dedup.attempt(key, (ctx) => handle(ctx, asked, operation), {
              ...(fingerprint !== undefined && { fingerprint }),
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
  return {
    main: Promise.all([askAll(world, workload.asks, services), ...people.map(resolveOne)]).then(
      () => undefined,
    ),
    async settle() {
      start("last");
      const keys = [...new Set(workload.asks.map(({ key }) => key))];
      const asks = keys.map((key) => {
        const last = { client: `last-${key}`, key, to: ["last"], tries: 6, gapMs: 1_000 };
        const fingerprint = workload.asks.find((each) => each.key === key)?.fingerprint;
        return ask({ ...last, ...(fingerprint !== undefined && { fingerprint }) });
      });
      await askAll(world, asks, services);
    },
  };
}
