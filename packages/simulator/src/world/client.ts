// A client and its requests: what a node serves in one life is answered by that life or by none.

import type { Network } from "./network.js";
import type { Party } from "./party.js";

/** A client: it asks nodes and never fails. */
export interface Client {
  readonly name: string;
  readonly party: Party;
  sleep(delayMs: number): Promise<void>;
}

export interface ClientRequest<T> {
  readonly what: string;
  readonly timeoutMs: number;
  /** Runs at the node. */
  serve(): Promise<T>;
  /** Told the answer, or undefined when none came. */
  resolve(answered: { readonly answer: T } | undefined): void;
  /** Told what `serve` rejected with. */
  failed(error: unknown): void;
}

/** Sends a client's request to a node. */
export function sendRequest<T>(
  network: Network,
  { party }: Client,
  target: Party,
  { what, timeoutMs, serve, resolve, failed }: ClientRequest<T>,
): void {
  const nothing = (): void => resolve(undefined);
  network.send<T>({
    from: party,
    life: party.life,
    to: target.name,
    ask: { ask: "call", what },
    timeoutMs,
    deliver: (respond) => {
      // What a node that is down is sent is lost; a paused one serves it when it goes on.
      target.enter(target.state === "down" ? 0 : target.life, () => {
        const { life } = target;
        const lives = (): boolean => life === target.life;
        serve().then(
          (answer) => {
            if (lives()) {
              respond(answer, "answered");
            }
          },
          (error: unknown) => {
            if (lives()) {
              failed(error);
            }
          },
        );
      });
    },
    answered: (answer) => resolve({ answer }),
    unanswered: nothing,
    refused: nothing,
  });
}
