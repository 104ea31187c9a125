// Who uses single-use tokens and how, as plain data.

import type { Ask } from "./clients.js";
import type { NamedWorkload, Times } from "./scenario.js";

/** A client with a token in its hands. */
export interface TokenAsk extends Ask {
  readonly does: "consume" | "run";
  /** The subject for whom the token was issued; each subject has one token. */
  readonly issuedTo: string;
  /** What it gives: `otherName` is a token of the same subject, issued under another name. */
  readonly gives: "asIssued" | "forged" | "otherSubject" | "otherName";
  readonly requestId: string;
  /** What `atMs` counts from: the start, or the token's end on the store's clock. */
  readonly counts: "fromStart" | "fromEnd";
}

export interface TokensWorkload {
  readonly asks: readonly TokenAsk[];
  /** @defaultValue `TOKEN_MS` */
  readonly tokenMs?: number;
  /** @defaultValue that of `TOKENS_TIMES` */
  readonly retentionMs?: number;
  /**
   * How far ahead of the store's the clock of each node is when it starts.
   * @defaultValue any: clocks differ by up to a minute
   */
  readonly aheadMs?: Readonly<Record<string, number>>;
  /** How the handler's first attempt ends; later ones return. @defaultValue it returns */
  readonly first?: "throwsRetryable";
}

export const TOKENS_TIMES: Times = {
  operationTimeoutMs: 200,
  tombstoneMs: 10_000,
  leaseMs: 1_500,
  retentionMs: 90_000,
};

/** Longer than clocks differ: a signed token ends by the clock of the node that issued it. */
export const TOKEN_MS = 90_000;

export const TOKENS_NODES: readonly string[] = ["web-1", "web-2"];
/** Takes every charge. */
export const BANK = "bank";

/** A request as most are; `over` tells what is special about it. */
export const tokenAsk = (over: Partial<TokenAsk>): TokenAsk => ({
  client: "alice",
  atMs: 0,
  to: ["web-1", "web-2"],
  tries: 4,
  patienceMs: 2_500,
  gapMs: 400,
  does: "consume",
  issuedTo: "s1",
  gives: "asIssued",
  requestId: "r1",
  counts: "fromStart",
  ...over,
});

/** As `tokenAsk`, at the other node first. */
const askOther = (over: Partial<TokenAsk>): TokenAsk =>
  tokenAsk({ to: ["web-2", "web-1"], ...over });

const TWO_REQUESTS: NamedWorkload<TokensWorkload> = {
  id: "two-requests",
  title: "two requests with one token at the same time, both again elsewhere, and a third",
  workload: {
    asks: [
      tokenAsk({}),
      askOther({ client: "bob", requestId: "r2" }),
      askOther({ client: "alice-again", atMs: 3 }),
      tokenAsk({ client: "bob-again", atMs: 400, requestId: "r2" }),
      askOther({ client: "alice-late", atMs: 5_000 }),
      tokenAsk({ client: "carol", atMs: 5_003, requestId: "r3" }),
    ],
  },
};

const REFUSALS: NamedWorkload<TokensWorkload> = {
  id: "refusals",
  title: "another subject, a forged token and another name's, before and after the right request",
  workload: {
    asks: [
      tokenAsk({ client: "mallory-1", gives: "otherSubject" }),
      askOther({ client: "mallory-2", atMs: 1, gives: "forged" }),
      tokenAsk({ client: "mallory-3", atMs: 2, gives: "otherName" }),
      tokenAsk({ atMs: 12 }),
      askOther({ client: "mallory-4", atMs: 400, gives: "otherSubject" }),
      tokenAsk({ client: "mallory-5", atMs: 401, gives: "forged" }),
      askOther({ client: "bob", atMs: 402, requestId: "r2" }),
      askOther({ client: "alice-again", atMs: 403 }),
    ],
  },
};

const END: NamedWorkload<TokensWorkload> = {
  id: "end",
  title: "requests shortly before and after a token's end, and beyond the tombstone time",
  long: true,
  workload: {
    asks: [
      tokenAsk({}),
      askOther({ client: "bob", counts: "fromEnd", atMs: -20, requestId: "r2" }),
      askOther({ client: "alice-again", counts: "fromEnd", atMs: -20 }),
      tokenAsk({ client: "carol", counts: "fromEnd", atMs: 20, requestId: "r2" }),
      askOther({ client: "dave", counts: "fromEnd", atMs: 12_000, requestId: "r3" }),
      tokenAsk({ client: "erin", counts: "fromEnd", atMs: -20, issuedTo: "s2" }),
      askOther({
        client: "frank",
        counts: "fromEnd",
        atMs: 20,
        issuedTo: "s2",
        requestId: "r2",
      }),
      askOther({ client: "erin-late", counts: "fromEnd", atMs: 12_000, issuedTo: "s2" }),
    ],
  },
};

const RUN: NamedWorkload<TokensWorkload> = {
  id: "run",
  title: "three run what one token stands for, a request consumes beside them, and the reverse",
  workload: {
    asks: [
      tokenAsk({ does: "run" }),
      askOther({ client: "bob", does: "run", atMs: 1 }),
      tokenAsk({ client: "mallory", does: "run", atMs: 2, gives: "otherSubject" }),
      askOther({ client: "carol", atMs: 12 }),
      askOther({ client: "dave", issuedTo: "s2" }),
      tokenAsk({ client: "erin", does: "run", atMs: 12, issuedTo: "s2" }),
      askOther({ client: "alice-late", does: "run", atMs: 5_000 }),
    ],
  },
};

const RUN_AGAIN: NamedWorkload<TokensWorkload> = {
  id: "run-again",
  title: "a run that fails before it charges, and runs again for whoever has the token",
  workload: {
    first: "throwsRetryable",
    asks: [
      tokenAsk({ does: "run" }),
      askOther({ client: "bob", does: "run", atMs: 2_000 }),
      tokenAsk({ client: "carol", atMs: 2_001 }),
    ],
  },
};

/** So short that a pause outlasts it: who had the token before must not run it anew after. */
const RUN_LATE: NamedWorkload<TokensWorkload> = {
  id: "run-late",
  title: "three run what a short token stands for, of which a pause may outlast the retention",
  long: true,
  workload: {
    tokenMs: 3_000,
    retentionMs: 3_000,
    // Else it would end by a clock that is ahead before it is asked for.
    aheadMs: {},
    asks: [
      tokenAsk({ does: "run" }),
      askOther({ client: "bob", does: "run", atMs: 1_000 }),
      tokenAsk({ client: "carol", does: "run", atMs: 1_500 }),
    ],
  },
};

/**
 * The token is issued by a clock that is ahead of the store's, and consumed by one that is further
 * ahead: what remembers it is to be written again, or it would be forgotten before the token's end.
 */
const CLOCKS: NamedWorkload<TokensWorkload> = {
  id: "clocks",
  title: "a short token of a clock that is ahead, consumed by a clock that is further ahead",
  workload: {
    tokenMs: 3_000,
    retentionMs: 3_000,
    aheadMs: { "web-1": 20_000, "web-2": 40_000 },
    asks: [
      // Once: what it was told must be right though it does not ask again.
      askOther({ tries: 1 }),
      askOther({ client: "bob", atMs: 5, requestId: "r2" }),
      tokenAsk({ client: "carol", atMs: 5_000, requestId: "r3" }),
      tokenAsk({ client: "alice-again", atMs: 9_000 }),
      askOther({ client: "dave", counts: "fromEnd", atMs: -20, requestId: "r4" }),
      tokenAsk({ client: "alice-late", counts: "fromEnd", atMs: 20 }),
    ],
  },
};

const CLOCKS_LATE: NamedWorkload<TokensWorkload> = {
  id: "clocks-late",
  title:
    "two tokens whose records end long before them, and others who ask when those are forgotten",
  workload: {
    // So short that a pause of more than a lease outlasts a record which is not written again.
    tokenMs: 1_600,
    retentionMs: 1_600,
    aheadMs: { "web-1": 20_000, "web-2": 40_000 },
    asks: [
      askOther({ tries: 1, patienceMs: 9_000 }),
      askOther({ client: "carol", atMs: 100, issuedTo: "s2", tries: 1, patienceMs: 9_000 }),
      tokenAsk({ client: "bob", atMs: 15_000, requestId: "r2" }),
      tokenAsk({ client: "dave", atMs: 15_000, issuedTo: "s2", requestId: "r2" }),
    ],
  },
};

export const TOKENS_WORKLOADS: Readonly<
  Record<"stored" | "signed", readonly NamedWorkload<TokensWorkload>[]>
> = {
  stored: [TWO_REQUESTS, REFUSALS, END, RUN, RUN_AGAIN, RUN_LATE],
  // Only a signed token's end comes from a node's clock. What a run does is the same for both.
  signed: [TWO_REQUESTS, REFUSALS, END, RUN, CLOCKS, CLOCKS_LATE],
};
