// Scenarios of single-use tokens: two web nodes issue them, stored or signed, and clients consume
// them, run what they stand for, and give what they should not.

import { ALL_PROFILES } from "../world/profile.js";
import { askAll, type Serve } from "./clients.js";
import type { Acts, Scenario, Stage, Stated } from "./scenario.js";
import {
  createTokenNodes,
  type Issued,
  type TokenRequest,
  type TokensVariant,
} from "./tokens-node.js";
import {
  BANK,
  TOKENS_NODES,
  TOKENS_TIMES,
  TOKENS_WORKLOADS,
  type TokenAsk,
  type TokensWorkload,
  tokenAsk,
} from "./tokens-workloads.js";

export type { TokenAsk, TokensVariant, TokensWorkload };

/** Builds the scenario of a variant; its guarantees come from where they are assembled. */
export function tokensScenario(
  id: string,
  title: string,
  variant: TokensVariant,
  states: readonly Stated<TokensWorkload>[],
): Scenario<TokensWorkload> {
  return {
    id: `tokens/${id}`,
    algorithm: "tokens",
    title,
    times: TOKENS_TIMES,
    profiles: ALL_PROFILES,
    targets: [
      { from: TOKENS_NODES, to: "store" },
      // A copy of one and the same charge: only a sink that dedups could tell.
      { from: TOKENS_NODES, to: BANK, without: ["duplicate"] },
    ],
    workloads: TOKENS_WORKLOADS[variant.kind],
    states,
    play: (stage) => play(stage, variant),
  };
}

/** How long before a token's end the clients that aim at it get ready: clocks drift meanwhile. */
const READY_MS = 1_000;

function play(stage: Stage<TokensWorkload>, variant: TokensVariant): Acts {
  const { world, workload } = stage;
  const issued = new Map<string, Issued>();
  const services = new Map<string, Serve<TokenRequest>>();
  const serviceOf = createTokenNodes(stage, variant, issued);
  const start = (name: string): void =>
    world.addNode(name, (node) => services.set(name, serviceOf(node)));
  for (const name of TOKENS_NODES) {
    start(name);
  }
  const ask = (requests: readonly TokenRequest[]): Promise<void> =>
    askAll(world, requests, services);

  /** One client asks for each token that the workload speaks of. */
  const issueAll = (): Promise<void> => {
    const subjects = [...new Set(workload.asks.map(({ issuedTo }) => issuedTo))];
    return ask(
      subjects.map((issuedTo) => ({
        ...tokenAsk({ client: `form-${issuedTo}`, issuedTo }),
        does: "issue",
      })),
    );
  };

  const untilEndMs = ({ endsUs }: Issued): number => (endsUs - world.server.now()) / 1000;

  const askAtEnd = async (subject: string, token: Issued): Promise<void> => {
    const asks = workload.asks.filter(
      ({ issuedTo, counts }) => issuedTo === subject && counts === "fromEnd",
    );
    if (asks.length > 0) {
      const alarm = world.addClient(`alarm-${subject}`);
      await alarm.sleep(Math.max(0, untilEndMs(token) - READY_MS));
      const leftMs = untilEndMs(token);
      await ask(asks.map((each) => ({ ...each, atMs: Math.max(0, leftMs + each.atMs) })));
    }
  };

  const main = async (): Promise<void> => {
    await issueAll();
    // Who got no token asks for nothing.
    const fromStart = workload.asks.filter(
      ({ issuedTo, counts }) => counts === "fromStart" && issued.has(issuedTo),
    );
    await Promise.all([
      ask(fromStart),
      ...[...issued].map(([subject, token]) => askAtEnd(subject, token)),
    ]);
  };

  return {
    main: main(),
    async settle() {
      start("last");
      for (const [index, each] of lastAsks(workload.asks).entries()) {
        if (issued.has(each.issuedTo)) {
          await ask([{ ...each, client: `last-${index + 1}` }]);
        }
      }
    },
  };
}

/** Every request that was made with a token as it was issued, once more. */
function lastAsks(asks: readonly TokenAsk[]): readonly TokenAsk[] {
  const distinct = new Map<string, TokenAsk>();
  for (const { does, issuedTo, requestId, gives } of asks) {
    if (gives === "asIssued") {
      const last = tokenAsk({ does, issuedTo, requestId, to: ["last"], tries: 6, gapMs: 1_000 });
      distinct.set(`${does} ${issuedTo} ${does === "run" ? "" : requestId}`, last);
    }
  }
  return [...distinct.values()];
}
