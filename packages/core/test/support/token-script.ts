// What the processes of a token property do, and what is noted of it for the oracles.

import { createTokens, type Tokens, type TokensOptions } from "@onceproof/core";
import type { PlannedFault } from "@onceproof/simulator";
import fc from "fast-check";
import { answerOf, createSwarm, faultPlan, type Node, SETTLE_MS, type Swarm } from "./swarm.ts";

export const TOKEN_MS = 3_000;
export const MAX_SKEW_MS = 40_000;
/** How far the store's clock may stand from the oracles' in a run whose clock steps. */
export const STEP_MS = 4_000;

const SIGNING = [{ kid: "k1", secret: "a secret of at least 32 characters" }];
const SUBJECT = "alice";

export type Kind = "stored" | "signed";

interface Ask {
  readonly restMs: number;
  readonly requestId: "r1" | "r2" | "r3";
  /** Only *right* asks may have an effect. */
  readonly token: "right" | "wrongSubject" | "forged" | "otherName";
  /** The process stands still for so long while the call is under way. */
  readonly pauseMs: number;
}

export interface TokenRun {
  readonly kind: Kind;
  readonly seed: number;
  readonly plan: readonly PlannedFault[];
  readonly issuerSkewMs: number;
  readonly workers: readonly { readonly skewMs: number; readonly asks: readonly Ask[] }[];
}

/** One call as the oracles see it, in the wall time of no process. */
export interface Call {
  readonly requestId: string;
  readonly token: Ask["token"];
  readonly beganMs: number;
  readonly endedMs: number;
  /** The outcome, or the code of the error. */
  readonly told: unknown;
  /** Told consumed by an earlier ask. */
  readonly replayed: boolean;
}

export interface TokenHistory {
  readonly kind: Kind;
  readonly calls: readonly Call[];
  /** The token cannot have expired before the one, and has certainly by the other. */
  readonly validUntilMs: number;
  readonly expiredByMs: number;
}

export function tokenRuns(options: {
  readonly kind: Kind;
  readonly faults: boolean;
}): fc.Arbitrary<TokenRun> {
  // Ahead of the store most of all: then a token lives longer than what remembers it at first.
  const skewMs = fc.constantFrom(0, -MAX_SKEW_MS, 5_000, MAX_SKEW_MS, MAX_SKEW_MS);
  const ask: fc.Arbitrary<Ask> = fc.record({
    restMs: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(3_500, 14_000)),
    requestId: fc.constantFrom("r1", "r1", "r2", "r3"),
    token: fc.oneof(
      { weight: 6, arbitrary: fc.constant("right" as const) },
      { weight: 1, arbitrary: fc.constantFrom("wrongSubject", "forged", "otherName") },
    ),
    pauseMs: fc.constantFrom(0, 0, 500, 15_000),
  });
  return fc.record({
    kind: fc.constant(options.kind),
    seed: fc.nat(),
    plan: options.faults ? faultPlan({ calls: 16, clockJumps: true }) : fc.constant([]),
    issuerSkewMs: skewMs,
    workers: fc.array(fc.record({ skewMs, asks: fc.array(ask, { minLength: 1, maxLength: 4 }) }), {
      minLength: 2,
      maxLength: 3,
    }),
  });
}

function tokensOf({ machine, store }: Node, kind: Kind, name = "t"): Tokens {
  const options: TokensOptions = {
    store,
    name,
    runtime: machine.runtime,
    tokenMs: TOKEN_MS,
    retentionMs: TOKEN_MS,
    settleMs: SETTLE_MS,
  };
  return createTokens(kind === "signed" ? { ...options, signing: SIGNING } : options);
}

/** Plays a run; undefined when the token could not even be issued. */
export async function playTokens(run: TokenRun): Promise<TokenHistory | undefined> {
  const swarm = createSwarm(run);
  const { kind } = run;
  const issuer = swarm.node(run.issuerSkewMs);
  const beganMs = swarm.runtime.wallNow();
  const issued = await swarm.runtime.run(answerOf(tokensOf(issuer, kind).issue(SUBJECT)));
  if (!("value" in issued)) {
    return undefined;
  }
  const endedMs = swarm.runtime.wallNow();
  const endMs = kind === "signed" ? Number(issued.value.split(".")[2]) : undefined;
  const stepMs = run.plan.some(({ fault }) => fault === "clockOffset") ? STEP_MS : 0;
  const calls: Call[] = [];
  await swarm.runAll(
    run.workers.map(({ skewMs, asks }) => {
      const node = swarm.node(skewMs);
      return [node, consumeAll(swarm, node, run.kind, issued.value, asks, calls)] as const;
    }),
  );
  return {
    kind,
    calls,
    validUntilMs: (endMs ?? beganMs + TOKEN_MS - stepMs) - stepMs,
    expiredByMs: (endMs ?? endedMs + TOKEN_MS + stepMs) + stepMs,
  };
}

async function consumeAll(
  swarm: Swarm,
  node: Node,
  kind: Kind,
  token: string,
  asks: readonly Ask[],
  calls: Call[],
): Promise<void> {
  const { machine } = node;
  const tokens = tokensOf(node, kind);
  for (const { restMs, requestId, token: which, pauseMs } of asks) {
    await machine.sleep(restMs);
    const beganMs = swarm.runtime.wallNow();
    const asking = answerOf(
      (which === "otherName" ? tokensOf(node, kind, "u") : tokens).consume(
        which === "forged" ? forged(token) : token,
        which === "wrongSubject" ? "bob" : SUBJECT,
        { requestId },
      ),
    );
    if (pauseMs > 0) {
      machine.pause();
      swarm.runtime.setTimer(machine.resume, pauseMs);
    }
    const answer = await asking;
    const told = "value" in answer ? answer.value.outcome : answer.code;
    const replayed = "value" in answer && "replayed" in answer.value && answer.value.replayed;
    const endedMs = swarm.runtime.wallNow();
    calls.push({ requestId, token: which, beganMs, endedMs, told, replayed });
  }
}

/** The same token with a number one higher: the revision, or the end of a signed one. */
function forged(token: string): string {
  const fields = token.split(".");
  const at = fields.length === 2 ? 1 : 2;
  fields[at] = String(Number(fields[at]) + 1);
  return fields.join(".");
}
