// How clients ask: each request is sent to one node after the other until an answer comes, as a
// browser, a payment provider or a queue does it.

import type { Client, World } from "../world/world.js";

/** One request of a client, as plain data. */
export interface Ask {
  readonly client: string;
  readonly atMs: number;
  /** The nodes, in the order in which they are tried; the last is tried again and again. */
  readonly to: readonly string[];
  readonly tries: number;
  /** How long one try waits for an answer. */
  readonly patienceMs: number;
  /** How long it pauses before the next. */
  readonly gapMs: number;
}

/** What a node does with a request; resolves with whether the client is to ask again. */
export type Serve<A extends Ask> = (ask: A) => Promise<"settled" | "again">;

/** Lets all clients ask; `served` names the nodes' services of their present life. */
export async function askAll<A extends Ask>(
  world: World,
  asks: readonly A[],
  served: ReadonlyMap<string, Serve<A>>,
): Promise<void> {
  const clients = new Map<string, Client>();
  for (const { client } of asks) {
    if (!clients.has(client)) {
      clients.set(client, world.addClient(client));
    }
  }
  await Promise.all(
    asks.map(async (ask) => {
      const client = clients.get(ask.client);
      if (client === undefined) {
        return;
      }
      await client.sleep(ask.atMs);
      for (let round = 0; round < ask.tries; round += 1) {
        const to = ask.to[Math.min(round, ask.to.length - 1)] ?? "";
        const answered = await world.request(client, to, ask.client, ask.patienceMs, async () =>
          served.get(to)?.(ask),
        );
        if (answered?.answer === "settled") {
          return;
        }
        await client.sleep(ask.gapMs);
      }
    }),
  );
}
