// Single-use tokens that go round among all clients: whoever gets one consumes it, some ask again,
// some come with the wrong subject.
import { createTokens, type Tokens } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import type { Offer } from "../sink/protocol.js";
import { SETTLE_MS, type Workload } from "../worker/lane.js";

const ASKS_AGAIN = 3;

export interface ConsumeAsk extends Offer {
  readonly requestId: string;
  /** It was not issued to this subject. */
  readonly wrong: boolean;
}

/** Tokens of both kinds, the same in every client of a run. */
export function createChaosTokens(
  store: AtomicStore,
  seed: number,
): { readonly stored: Tokens; readonly signed: Tokens } {
  const secret = `the secret of chaos with seed ${seed}`.padEnd(32, ".");
  const options = { store, settleMs: SETTLE_MS };
  return {
    stored: createTokens({ ...options, name: "stored" }),
    signed: createTokens({ ...options, name: "signed", signing: [{ kid: "k", secret }] }),
  };
}

export const tokens: Workload = (lane) => {
  const { random, sink } = lane;
  const made = createChaosTokens(lane.store, lane.seed);
  return async () => {
    if (random.chance(0.3)) {
      const kind = random.pick(["stored", "signed"] as const);
      const subject = `subject ${random.int(1, 5)}`;
      const token = await lane.ask("issue", { kind, subject }, () => made[kind].issue(subject));
      if (token !== undefined) await sink.ask({ op: "offer", offer: { token, subject, kind } });
      return;
    }
    const { offer } = await sink.ask({ op: "pick", at: random.int(0, 999) });
    if (offer === undefined) return lane.pause(50);
    const wrong = random.chance(0.1);
    const { token, kind } = offer;
    const subject = wrong ? "somebody else" : offer.subject;
    const requestId = `${lane.by} ${lane.next()}`;
    const ask: ConsumeAsk = { token, kind, subject, requestId, wrong };
    for (let time = 0; time < ASKS_AGAIN; time += 1) {
      const told = await lane.ask("consume", ask, () =>
        made[kind].consume(token, subject, { requestId }),
      );
      if (told?.outcome === "used" && random.chance(0.8)) break;
      if (random.chance(0.5)) break;
      await lane.pause(60);
    }
    await lane.pause(60);
  };
};
