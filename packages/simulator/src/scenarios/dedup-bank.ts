// The bank that dedup's scenarios charge: what it takes, what it refuses, and what it answers when it
// is asked whether a charge took place.

import type { DedupContext, VerifyAnswer } from "@onceproof/core";
import { type Node, SinkError } from "../world/node.js";
import type { DedupWorkload } from "./dedup-workloads.js";
import type { Charge } from "./recorded.js";
import type { Stage } from "./scenario.js";

export const BANK = "bank";

/** Takes all, dedups by child key, or refuses older fencing tokens. */
export type BankKind = "naive" | "childKey" | "fenced";

/** The bank: what it does with a charge, and what it answers a verify. */
export interface Bank {
  charge(ctx: DedupContext, run: number, node: Node, operation: number): Promise<Charge>;
  verify(node: Node, ctx: { key: string; fencingToken: number }): Promise<VerifyAnswer>;
}

export function createBank({ world, workload }: Stage<DedupWorkload>, kind: BankKind): Bank {
  const { ponders } = workload;
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
        const answer = await node.call<VerifyAnswer>(BANK, `verify ${key}`, () => {
          fences.set(key, Math.max(fences.get(key) ?? 0, fencingToken));
          const done = charges.find((charge) => charge.key === key);
          return done === undefined
            ? { answer: "notDone" }
            : { answer: "done", value: { key, run: done.run } };
        });
        if (ponders?.node === node.name) {
          await node.sleep(ponders.forMs);
        }
        return answer;
      } catch (error) {
        if (error instanceof SinkError && error.code === "refused") {
          return { answer: "unknown" };
        }
        throw error;
      }
    },
  };
}
