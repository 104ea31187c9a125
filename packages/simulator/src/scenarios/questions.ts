// How a node's service puts a question to an algorithm: recorded as recorded.ts says, judged
// whether it is to be asked again, and asked for the last time after healing.

import type { Node, World } from "../world/world.js";
import type { Method, Recorded } from "./recorded.js";

/** What a client makes of what it was told. */
export type Verdict = "settled" | "again";

/** Puts one question, and records it with its answer. */
export function record<M extends Method>(
  world: World,
  node: Node,
  question: { readonly method: M; readonly key: string; readonly input: Recorded[M]["input"] },
  run: (operation: number) => Promise<Recorded[M]["returned"]>,
): Promise<Recorded[M]["returned"]> {
  return world.recorder.operation({ by: node.name, life: node.life, ...question }, run);
}

/** Answers that leave a question open; `notFound` because the create may still be under way. */
const OPEN = new Set(["indeterminate", "contended", "notFound"]);

/** What a client makes of an answer, thrown ones included. */
export async function verdictOf(answer: Promise<{ readonly outcome: string }>): Promise<Verdict> {
  try {
    return OPEN.has((await answer).outcome) ? "again" : "settled";
  } catch {
    return "again";
  }
}

/** The node that asks after healing. */
export const LAST = "last";
const TRIES = 6;
const GAP_MS = 1_000;

/** Starts the node `last`, which asks one question after the other, each with retries. */
export function askLast(
  world: World,
  questionsOf: (node: Node) => readonly (() => Promise<Verdict>)[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    world.addNode(LAST, (node) => {
      const questions = questionsOf(node);
      const askEach = async (): Promise<void> => {
        for (const question of questions) {
          let tries = 1;
          while ((await question()) === "again" && tries < TRIES) {
            tries += 1;
            await node.sleep(GAP_MS);
          }
        }
      };
      askEach().then(resolve, reject);
    });
  });
}

/** A look-up as a question: settled unless it throws. */
export async function looked(answer: Promise<unknown>): Promise<Verdict> {
  try {
    await answer;
    return "settled";
  } catch {
    return "again";
  }
}

/**
 * What a request keeps: the first that was taken for it. It is the client's memory, and holds
 * whatever becomes of the answer, as if the page that the client acts from had been served before.
 */
export async function keptFor<S>(
  kept: Map<string, S>,
  request: string,
  take: () => Promise<S | undefined>,
): Promise<S | undefined> {
  if (!kept.has(request)) {
    const taken = await take();
    if (taken !== undefined && !kept.has(request)) {
      kept.set(request, taken);
    }
  }
  return kept.get(request);
}
