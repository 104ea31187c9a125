// Concurrent programs for each algorithm, drawn by fast-check: who asks what of which node and when,
// which requests are asked again, which handlers fail or are slow, and what gets lost. They are
// workloads of the simulator's scenarios, so that the oracles of those judge them.

import fc from "fast-check";
import { scenarioOf } from "../../../src/index.js";
import type { Ask } from "../../../src/scenarios/clients.js";
import type { DedupAsk, DedupWorkload } from "../../../src/scenarios/dedup-workloads.js";
import type { FenceAsk, FenceWorkload } from "../../../src/scenarios/fence.js";
import {
  LOCK_NODES,
  type LockAsk,
  type LockWorkload,
} from "../../../src/scenarios/lock-workloads.js";
import type { HandlerEnd } from "../../../src/scenarios/recorded.js";
import type { RegisterAsk, RegisterWorkload } from "../../../src/scenarios/register-workloads.js";
import type { NamedWorkload } from "../../../src/scenarios/scenario.js";
import type {
  MachineAsk,
  MachineWorkload,
} from "../../../src/scenarios/state-machine-workloads.js";
import {
  TOKENS_NODES,
  type TokenAsk,
  type TokensWorkload,
} from "../../../src/scenarios/tokens-workloads.js";
import { NODES } from "../../../src/scenarios/two-nodes.js";
import type { UniqueAsk, UniqueWorkload } from "../../../src/scenarios/unique-insert-workloads.js";
import type { Passage } from "./place.js";

/** A run as plain data. */
export interface Program {
  /** The scenario's id. */
  readonly scenario: string;
  readonly workload: unknown;
  /** Which store each node has, by its index; modulo their number. */
  readonly stores: readonly number[];
  /** Whether nodes see the two primitives alone, without `writeAll` and `watch`. */
  readonly bare: boolean;
  /** How the first requests to the stores fare. */
  readonly passages: readonly Passage[];
}

/** What all asks have, and what is special about those of one algorithm. */
type Own<A extends Ask> = Omit<A, keyof Ask>;

const MOST_ASKS = 12;
const MOST_NODES = 4;
const MOST_PASSAGES = 24;

/** Asks of as many clients at about the same time; some do not wait before they go elsewhere. */
function asks<A extends Ask>(
  nodes: readonly string[],
  own: fc.Arbitrary<Own<A>>,
  more: Partial<Ask> = {},
): fc.Arbitrary<readonly A[]> {
  const one = fc.record({
    own,
    atMs: fc.constantFrom(0, 0, 0, 1, 3, 10, 30, 60),
    first: fc.nat(nodes.length - 1),
    patienceMs: fc.constantFrom(2_500, 2_500, 2_500, 4),
  });
  return fc.array(one, { minLength: 2, maxLength: MOST_ASKS, size: "max" }).map((drawn) =>
    drawn.map(({ own: special, atMs, first, patienceMs }, index) => {
      const ask: Ask = {
        client: `client-${index + 1}`,
        atMs,
        to: nodes.map((_, at) => nodes[(first + at) % nodes.length] ?? ""),
        tries: 4,
        patienceMs,
        gapMs: 100,
        ...more,
      };
      return { ...ask, ...special } as unknown as A;
    }),
  );
}

/** Requests by id, so that what bears one id is the same request whenever it is asked. */
function requests<R extends object>(
  request: fc.Arbitrary<R>,
): fc.Arbitrary<fc.Arbitrary<R & { readonly requestId: string }>> {
  return fc
    .array(request, { minLength: 1, maxLength: 5, size: "max" })
    .map((drawn) =>
      fc.constantFrom(...drawn.map((each, index) => ({ ...each, requestId: `r${index + 1}` }))),
    );
}

const ENDS: readonly HandlerEnd[] = [
  "returns",
  "returns",
  "returns",
  "returns",
  "throwsRetryableFirst",
  "throwsRetryable",
  "throwsBeforeEffect",
  "throwsFinal",
  "throwsAfterEffect",
];

const dedup: fc.Arbitrary<DedupWorkload> = fc.record({
  asks: asks<DedupAsk>(
    NODES,
    fc
      .record({
        key: fc.constantFrom("k1", "k1", "k2"),
        end: fc.constantFrom(...ENDS),
        beforeMs: fc.constantFrom(0, 2, 10),
        // One in a while outlasts what others wait for.
        afterMs: fc.oneof(
          { arbitrary: fc.constantFrom(0, 2, 20), weight: 30 },
          { arbitrary: fc.constant(900), weight: 1 },
        ),
        step: fc.constantFrom<boolean | "twice">(false, false, true, "twice"),
        print: fc.constantFrom(undefined, undefined, "f1", "f2"),
      })
      .map(({ print, ...ask }) => ({ ...ask, ...(print !== undefined && { fingerprint: print }) })),
  ),
  people: fc.array(
    fc.record({
      atMs: fc.constantFrom(5, 40, 200),
      key: fc.constantFrom("k1", "k2"),
      outcome: fc.constantFrom("done" as const, "failed" as const),
    }),
    { maxLength: 1 },
  ),
});

const lock: fc.Arbitrary<LockWorkload> = fc.record({
  asks: asks<LockAsk>(
    LOCK_NODES,
    fc
      .record({
        resource: fc.constantFrom("r1", "r1", "r1", "r2"),
        waitMs: fc.constantFrom(0, 2_000, 2_000),
        worksMs: fc.array(fc.constantFrom(0, 1, 5), { minLength: 1, maxLength: 3 }),
        extends: fc.constantFrom(false, false, true),
        walksAway: fc.nat(19).map((drawn) => drawn === 19),
      })
      .map(({ extends: longer, walksAway, ...ask }) => ({
        ...ask,
        autoRenew: !walksAway,
        end: walksAway ? ("walksAway" as const) : ("releases" as const),
        ...(longer && { extendMs: 2_000 }),
      })),
    { patienceMs: 4_500 },
  ),
});

const fence: fc.Arbitrary<FenceWorkload> = fc.record({
  asks: asks<FenceAsk>(
    ["gate-1", "gate-2"],
    fc.record({
      resource: fc.constantFrom("r1", "r1", "r2"),
      token: fc.integer({ min: 1, max: 9 }),
    }),
  ),
});

const tokens: fc.Arbitrary<TokensWorkload> = fc
  .record({
    first: fc.constantFrom(undefined, undefined, "throwsRetryable" as const),
    asks: asks<TokenAsk>(
      TOKENS_NODES,
      fc
        .record({
          // What a run stands for takes time, so only the second token may be run.
          what: fc.constantFrom(
            { issuedTo: "s1", does: "consume" } as const,
            { issuedTo: "s1", does: "consume" } as const,
            { issuedTo: "s2", does: "consume" } as const,
            { issuedTo: "s2", does: "run" } as const,
          ),
          gives: fc.constantFrom<TokenAsk["gives"]>(
            ...Array<"asIssued">(9).fill("asIssued"),
            "forged",
            "otherSubject",
            "otherName",
          ),
          requestId: fc.constantFrom("r1", "r2", "r3"),
        })
        .map(({ what, ...ask }) => ({ ...what, ...ask, counts: "fromStart" as const })),
    ),
  })
  .map(({ first, asks: drawn }) => ({ asks: drawn, ...(first !== undefined && { first }) }));

const ORDERS = ["order-1", "order-2"] as const;

function machine(scenario: string): fc.Arbitrary<MachineWorkload> {
  const [any] = scenarioOf(scenario).workloads as readonly NamedWorkload<MachineWorkload>[];
  if (any === undefined) throw new Error(`${scenario} has no workload`);
  const { definition } = any.workload;
  const order = fc.constantFrom(...ORDERS, ORDERS[0]);
  const fire = fc
    .record({ id: order, event: fc.constantFrom(...Object.keys(definition.events)) })
    .map((drawn) => ({ ...drawn, act: "fire" as const }));
  const create = order.map((id) => ({ id, act: "create" as const, event: "" }));
  return requests(fire)
    .chain((named) =>
      asks<MachineAsk>(
        NODES,
        fc.oneof(
          { arbitrary: named, weight: 6 },
          { arbitrary: named.map((drawn) => ({ ...drawn, act: "look" as const })), weight: 1 },
          { arbitrary: fire, weight: 2 },
          { arbitrary: fire.map((drawn) => ({ ...drawn, unlisted: true as const })), weight: 1 },
          {
            arbitrary: fc
              .record({ made: create, by: fc.constantFrom("c1", "c2") })
              .map(({ made, by }) => ({ ...made, requestId: by })),
            weight: 1,
          },
        ),
      ),
    )
    .map((drawn) => ({
      definition,
      requestWindow: 256,
      // Each order is created by somebody, or nothing would be found.
      asks: [
        ...ORDERS.map((id) => ({
          ...(drawn[0] as MachineAsk),
          client: `creator-of-${id}`,
          atMs: 0,
          id,
          act: "create" as const,
          event: "",
          requestId: "c1",
        })),
        ...drawn,
      ],
    }));
}

const register: fc.Arbitrary<RegisterWorkload> = fc.record({
  initial: fc.constantFrom(0, 3, 10),
  requestWindow: fc.constant(256),
  asks: requests(
    fc.record({
      key: fc.constantFrom("shelf-1", "shelf-1", "shelf-2"),
      delta: fc.integer({ min: -3, max: 3 }),
    }),
  ).chain((named) =>
    asks<RegisterAsk>(
      NODES,
      fc
        .record({ request: named, act: fc.constantFrom("look", "update", "update", "update") })
        .map(({ request, act }) => ({ ...request, act: act as RegisterAsk["act"] })),
    ),
  ),
});

function unique(names: readonly string[]): fc.Arbitrary<UniqueWorkload> {
  const number = fc.integer({ min: 1, max: 3 });
  const request = fc.record({
    keys: fc.record(
      Object.fromEntries(names.map((name) => [name, number.map((drawn) => `${name}-${drawn}`)])),
    ),
    value: fc.record({ amount: fc.constantFrom(100, 200) }),
  }) as fc.Arbitrary<Pick<UniqueAsk, "keys" | "value">>;
  return requests(request)
    .chain((named) =>
      asks<UniqueAsk>(
        NODES,
        fc.oneof({ arbitrary: named, weight: 4 }, { arbitrary: request, weight: 1 }),
      ),
    )
    .map((drawn) => ({ asks: drawn }));
}

/** The programs of an algorithm's scenarios. */
function programs(
  workloads: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  bare: fc.Arbitrary<boolean> = fc.constant(false),
): fc.Arbitrary<Program> {
  return fc.oneof(
    ...Object.entries(workloads).map(([scenario, workload]) =>
      fc.record({
        scenario: fc.constant(scenario),
        workload,
        stores: fc.array(fc.nat(7), { minLength: MOST_NODES, maxLength: MOST_NODES }),
        bare,
        passages: fc.oneof(
          { arbitrary: fc.constant([]), weight: 1 },
          {
            arbitrary: fc.array(
              fc.constantFrom<Passage>("pass", "pass", "pass", "pass", "loseRequest", "loseReply"),
              { maxLength: MOST_PASSAGES, size: "max" },
            ),
            weight: 2,
          },
        ),
      }),
    ),
  );
}

/** The programs of each algorithm. */
export const PROGRAMS: Readonly<Record<string, fc.Arbitrary<Program>>> = {
  dedup: programs({ "dedup/park": dedup, "dedup/rerun-child-key": dedup, "dedup/verify": dedup }),
  lock: programs({ "lock/workers": lock }),
  fence: programs({ "fence/two-gates": fence }),
  "unique insert": programs({
    "unique-insert/one-key": unique(["key"]),
    "unique-insert/two-keys": unique(["transaction", "order"]),
  }),
  tokens: programs({
    "tokens/stored-park": tokens,
    "tokens/stored-rerun": tokens,
    "tokens/signed-park": tokens,
  }),
  register: programs({ "register/plain": register, "register/snapshot": register }, fc.boolean()),
  "state machine": programs(
    {
      "state-machine/plain": machine("state-machine/plain"),
      "state-machine/snapshot": machine("state-machine/snapshot"),
    },
    fc.boolean(),
  ),
};
