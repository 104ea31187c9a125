// `run` of `createTokens` as properties: the handler begins once at most, and whoever gets a value
// gets the first one, while processes pause beyond lease and retention, crash, and lose replies.

import { createTokens, type RunnableTokens } from "@onceproof/core";
import type { PlannedFault } from "@onceproof/simulator";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";
import { answerOf, createSwarm, faultPlan, type Node, SETTLE_MS } from "./support/swarm.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

const TOKEN_MS = 3_000;
const LEASE_MS = 1_000;
const WAIT_MS = 2_000;
// The retention and the skew that dedup allows beside it.
const FORGOTTEN_MS = TOKEN_MS + 300_000;
const SIGNING = [{ kid: "k1", secret: "a secret of at least 32 characters" }];
const CODES = [
  ...["inProgress", "indeterminate", "expired", "notYetValid", "unavailable"],
  ...["tokenInvalid", "tokenExpired"],
];

interface Holder {
  readonly restMs: number;
  readonly skewMs: number;
  readonly workMs: number;
  /** After so much of its run the process stands still, or is gone. */
  readonly strainAfterMs: number;
  readonly strain: "none" | "pause" | "suspend" | "crash";
  readonly strainMs: number;
}

interface RunOfRuns {
  readonly kind: "stored" | "signed";
  readonly seed: number;
  readonly plan: readonly PlannedFault[];
  readonly issuerSkewMs: number;
  readonly holders: readonly Holder[];
}

interface Told {
  readonly answer: { readonly value: unknown } | { readonly code: unknown };
  readonly strained: boolean;
}

function arbitrary(kind: RunOfRuns["kind"], faults: boolean): fc.Arbitrary<RunOfRuns> {
  const skewMs = fc.constantFrom(0, -40_000, 5_000, 40_000);
  const strains: Holder["strain"][] = faults ? ["pause", "suspend", "crash"] : [];
  return fc.record({
    kind: fc.constant(kind),
    seed: fc.nat(),
    plan: faults ? faultPlan({ calls: 20, clockJumps: true }) : fc.constant([]),
    issuerSkewMs: skewMs,
    holders: fc.array(
      fc.record({
        restMs: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 2_500 })),
        skewMs,
        workMs: fc.constantFrom(0, 30, 1_500),
        strainAfterMs: fc.integer({ min: 0, max: 25 }),
        strain: fc.constantFrom<Holder["strain"]>("none", ...strains),
        strainMs: fc.constantFrom(500, 4_000, FORGOTTEN_MS, 2 * FORGOTTEN_MS),
      }),
      { minLength: 2, maxLength: 4 },
    ),
  });
}

function tokensOf({ machine, store }: Node, kind: RunOfRuns["kind"]): RunnableTokens {
  return createTokens({
    store,
    name: "t",
    onCrash: "park",
    runtime: machine.runtime,
    tokenMs: TOKEN_MS,
    retentionMs: TOKEN_MS,
    leaseMs: LEASE_MS,
    waitMs: WAIT_MS,
    settleMs: SETTLE_MS,
    ...(kind === "signed" && { signing: SIGNING }),
  });
}

/** How many handlers began, and what each holder was told; undefined if no token was issued. */
async function play(run: RunOfRuns): Promise<{ began: number; told: Told[] } | undefined> {
  const swarm = createSwarm(run);
  const { runtime } = swarm;
  const issuer = swarm.node(run.issuerSkewMs);
  const issued = await runtime.run(answerOf(tokensOf(issuer, run.kind).issue("alice")));
  if (!("value" in issued)) {
    return undefined;
  }
  let began = 0;
  const told: Told[] = [];
  const hold = async (node: Node, holder: Holder): Promise<void> => {
    const { machine } = node;
    await machine.sleep(holder.restMs);
    const strained = holder.strain !== "none";
    if (strained) {
      runtime.setTimer(() => {
        machine[holder.strain as "pause" | "suspend" | "crash"]();
        runtime.setTimer(machine.resume, holder.strainMs);
      }, holder.strainAfterMs);
    }
    const running = tokensOf(node, run.kind).run(issued.value, "alice", async () => {
      began += 1;
      const mine = began;
      await machine.sleep(holder.workMs);
      return { run: mine };
    });
    told.push({ answer: await answerOf(running), strained });
  };
  await swarm.runAll(
    run.holders.map((holder) => {
      const node = swarm.node(holder.skewMs);
      return [node, hold(node, holder)] as const;
    }),
  );
  return { began, told };
}

const KINDS: RunOfRuns["kind"][] = ["stored", "signed"];

describe.each(KINDS)("a run of a %s token", (kind) => {
  const always = (
    faults: boolean,
    law: (seen: { began: number; told: readonly Told[] }) => void,
  ): Promise<void> =>
    fc.assert(
      fc.asyncProperty(arbitrary(kind, faults), async (run) => {
        const seen = await play(run);
        if (seen !== undefined) {
          law(seen);
        }
      }),
      propertyRuns(150),
    );

  test("over the memory store happens once, and every holder gets the first result", async () => {
    await always(false, ({ began, told }) => {
      const valid = told.filter(
        ({ answer }) => !("code" in answer && /^token(Invalid|Expired)$/.test(String(answer.code))),
      );
      expect(began).toBe(valid.length === 0 ? 0 : 1);
      for (const { answer } of valid) {
        expect(answer).toEqual({ value: { run: 1 } });
      }
    });
  });

  test("over a bad network never begins a second time", async () => {
    await always(true, ({ began }) => {
      expect(began).toBeLessThanOrEqual(1);
    });
  });

  test("over a bad network gives the first result or a documented code", async () => {
    await always(true, ({ told }) => {
      for (const { answer } of told) {
        if ("value" in answer) {
          expect(answer.value).toEqual({ run: 1 });
        } else {
          expect(CODES).toContain(answer.code);
        }
      }
    });
  });
});
