// What a node of the tokens' scenario does for its clients: it issues, consumes and runs, and the
// handler that it runs charges a bank.

import type { DedupContext, RunnableTokens } from "@onceproof/core";
import type { Runtime } from "@onceproof/core/advanced";
import type { Node } from "../world/world.js";
import type { Serve } from "./clients.js";
import type { Charge, Method, Recorded } from "./recorded.js";
import type { Stage } from "./scenario.js";
import {
  BANK,
  TOKEN_MS,
  TOKENS_TIMES,
  type TokenAsk,
  type TokensWorkload,
} from "./tokens-workloads.js";

export interface TokensVariant {
  readonly kind: "stored" | "signed";
  /** What follows when a run ended without a known outcome. */
  readonly onCrash: "park" | "rerun";
}

/** A request of a client, or that a token be issued. */
export type TokenRequest = Omit<TokenAsk, "does"> & { readonly does: TokenAsk["does"] | "issue" };

/** A token as its clients got it. */
export interface Issued {
  readonly token: string;
  /** Its end on the store's clock, as far as a client can tell. */
  readonly endsUs: number;
}

/** What the nodes of one run share. */
interface Shop {
  readonly stage: Stage<TokensWorkload>;
  readonly variant: TokensVariant;
  /** The first token that each subject got. */
  readonly issued: Map<string, Issued>;
  /** Numbers the runs of handlers over all nodes. */
  readonly nextRun: () => number;
}

interface Counter {
  readonly shop: Shop;
  readonly node: Node;
  readonly tokens: RunnableTokens;
}

/** Creates what each node of a run does with a request; fills in what is issued. */
export function createTokenNodes(
  stage: Stage<TokensWorkload>,
  variant: TokensVariant,
  issued: Map<string, Issued>,
): (node: Node) => Serve<TokenRequest> {
  let runs = 0;
  const nextRun = (): number => {
    runs += 1;
    return runs;
  };
  const shop: Shop = { stage, variant, issued, nextRun };
  return (node) => {
    const counter: Counter = { shop, node, tokens: createTokens(shop, node, "form") };
    return async (asked) => {
      try {
        switch (asked.does) {
          case "issue":
            await issue(counter, asked);
            return "settled";
          case "consume":
            return (await consume(counter, asked)) === "indeterminate" ? "again" : "settled";
          case "run":
            await run(counter, asked);
            return "settled";
        }
      } catch (error) {
        return FINAL.has(String((error as { readonly code?: unknown }).code)) ? "settled" : "again";
      }
    };
  };
}

/** Errors after which asking again would change nothing. */
const FINAL: ReadonlySet<string> = new Set([
  "tokenUsed",
  "tokenInvalid",
  "tokenExpired",
  "expired",
  "valueUnavailable",
]);

function createTokens({ stage, variant }: Shop, node: Node, name: string): RunnableTokens {
  const { tokenMs = TOKEN_MS, retentionMs = TOKENS_TIMES.retentionMs } = stage.workload;
  return stage.core.createTokens({
    store: node.store,
    runtime: runtimeOf(stage, node),
    name,
    onCrash: variant.onCrash,
    tokenMs,
    retentionMs,
    leaseMs: TOKENS_TIMES.leaseMs,
    waitMs: 800,
    settleMs: 600,
    ...(variant.kind === "signed" && {
      signing: [{ kid: "k1", secret: "a secret of at least 32 characters" }],
    }),
    onEvent: (event) => stage.world.recorder.told(node.name, event.type),
  });
}

/** The node's runtime; where the workload says so, its clock is set when it starts. */
function runtimeOf({ world, workload }: Stage<TokensWorkload>, { name, runtime }: Node): Runtime {
  if (workload.aheadMs === undefined) {
    return runtime;
  }
  const storeMs = world.server.now() / 1000;
  const shiftMs = storeMs + (workload.aheadMs[name] ?? 0) - runtime.wallNow();
  return { ...runtime, wallNow: () => runtime.wallNow() + shiftMs };
}

function operate<M extends Method>(
  { shop, node }: Counter,
  method: M,
  key: string,
  input: Recorded[M]["input"],
  act: (operation: number) => Promise<Recorded[M]["returned"]>,
): Promise<Recorded[M]["returned"]> {
  const { name, life } = node;
  return shop.stage.world.recorder.operation({ by: name, life, method, key, input }, act);
}

async function issue(counter: Counter, { client, issuedTo }: TokenRequest): Promise<void> {
  const { stage, variant, issued } = counter.shop;
  const token = await operate(counter, "tokens.issue", issuedTo, { client }, () =>
    counter.tokens.issue(issuedTo),
  );
  const endsUs =
    variant.kind === "signed"
      ? Number(token.split(".")[2]) * 1000
      : stage.world.server.now() + (stage.workload.tokenMs ?? TOKEN_MS) * 1000;
  if (!issued.has(issuedTo)) {
    issued.set(issuedTo, { token, endsUs });
  }
}

/** The token and the subject that a client gives. */
async function given(
  { shop, node }: Counter,
  { issuedTo, gives }: TokenRequest,
): Promise<{ readonly token: string; readonly subject: string }> {
  const { token } = shop.issued.get(issuedTo) ?? { token: "" };
  switch (gives) {
    case "asIssued":
      return { token, subject: issuedTo };
    case "forged":
      return { token: forge(token), subject: issuedTo };
    case "otherSubject":
      return { token, subject: `not-${issuedTo}` };
    case "otherName":
      // Not recorded: as far as this name's tokens go it was never issued.
      return { token: await createTokens(shop, node, "other").issue(issuedTo), subject: issuedTo };
  }
}

/** The same token with a number one higher: its revision, or the end of a signed one. */
function forge(token: string): string {
  const fields = token.split(".");
  const at = fields.length === 2 ? 1 : 2;
  return fields.map((field, index) => (index === at ? String(Number(field) + 1) : field)).join(".");
}

async function consume(counter: Counter, asked: TokenRequest): Promise<string> {
  const { client, requestId } = asked;
  const { token, subject } = await given(counter, asked);
  const input = { client, token, subject, requestId };
  const { outcome } = await operate(counter, "tokens.consume", subject, input, () =>
    counter.tokens.consume(token, subject, { requestId }),
  );
  return outcome;
}

async function run(counter: Counter, asked: TokenRequest): Promise<void> {
  const { client } = asked;
  const { token, subject } = await given(counter, asked);
  const input = { client, token, subject };
  await operate(counter, "tokens.run", subject, input, (operation) =>
    counter.tokens.run(token, subject, (ctx) => charge(counter, ctx, subject, operation)),
  );
}

const BEFORE_MS = 300;
const AFTER_MS = 300;

/** The handler: it charges the bank between two pieces of work that outlast a renewal together. */
async function charge(
  { shop, node }: Counter,
  { attempt, takeover, fencingToken }: DedupContext,
  key: string,
  operation: number,
): Promise<Charge> {
  const { stage } = shop;
  const { recorder } = stage.world;
  const value = shop.nextRun();
  const by = { by: node.name, key, operation, fencingToken };
  const detail = { run: value, attempt, takeover };
  const ended = recorder.span({ ...by, kind: "handler", life: node.life, detail });
  try {
    await node.sleep(BEFORE_MS);
    if (stage.workload.first === "throwsRetryable" && attempt === 1) {
      throw new stage.core.Retryable("the bank asks to come again");
    }
    await node.call(BANK, `charge ${key}`, () => {
      recorder.effect({ ...by, sink: BANK, accepted: true, value });
    });
    await node.sleep(AFTER_MS);
    ended("returned");
    return { key, run: value };
  } catch (error) {
    ended("threw");
    throw error;
  }
}
