// Real webhook payloads, some delivered twice or three times and all out of order, as a sender that
// retries in parallel delivers them. The list of seen ids is read before it is written.

import { createDedup } from "@onceproof/core";
import type { Random } from "@onceproof/simulator";
import { callsOf, type Disaster } from "../disaster.js";
import { createApp } from "../world/http-server.js";
import type { World } from "../world/world.js";
import type { Payload } from "./webhook-payloads.js";

/** How far, in deliveries, one can fall behind. */
const REORDERING = 40;

interface Delivery {
  /** The sender's id: the same in each copy. */
  readonly id: string;
  readonly payload: Payload;
}

type Receive = (delivery: Delivery, key?: string) => Promise<unknown>;

/** The receiver as it is often written: skip what was seen, else act, then remember. */
function receiver({ chat, table }: World): Receive {
  const seen = table<true>("seen");
  return async ({ id, payload }, key) => {
    if (await seen.get(id)) {
      return;
    }
    await chat.say(`${payload.event} happened`, key);
    await seen.put(id, true);
  };
}

function protect(world: World, announce: Receive): Receive {
  const { common } = world;
  // #region recipe
  const hooks = createDedup({ name: "hooks", onCrash: "rerun", ...common });
  // #endregion
  return async (delivery) => {
    // #region recipe
    const { id } = delivery;
    await hooks.run(id, (ctx) => announce(delivery, ctx.childKey("notice")));
    // #endregion
  };
}

async function serve(world: World, receive: Receive): Promise<Receive> {
  const app = createApp();
  app.post("/webhooks", async (c) => {
    const id = c.req.header("x-delivery") ?? "";
    await receive({ id, payload: await c.req.json<Payload>() });
    return c.json("ok");
  });
  const url = await world.serve(app);
  return ({ id, payload }) => world.client.post(`${url}/webhooks`, payload, { "x-delivery": id });
}

/** Duplicates and reorders. The seed decides, so the same seed gives the same order. */
export function shuffle(payloads: readonly Payload[], random: Random): Delivery[] {
  return payloads
    .flatMap((payload, index) => {
      const copies = 1 + Number(random.chance(0.4)) + Number(random.chance(0.2));
      return Array.from({ length: copies }, () => ({
        at: index + random.int(0, REORDERING),
        delivery: { id: `delivery-${index}`, payload },
      }));
    })
    .sort((a, b) => a.at - b.at)
    .map(({ delivery }) => delivery);
}

async function replay(world: World, payloads: readonly Payload[], send: Receive): Promise<void> {
  const deliveries = shuffle(payloads, world.random);
  await Promise.all(deliveries.map(({ id, payload }) => send({ id: world.id(id), payload })));
}

/** The disaster over any payloads: for example those of a directory. */
export function webhookReplay(payloads: readonly Payload[]): Disaster {
  return {
    name: "webhook-replay",
    title: `Replay of ${payloads.length} real webhooks`,
    counted: "messages posted",
    expected: payloads.length,
    algorithm: "dedup",
    factories: ["createDedup"],
    source: import.meta.url,

    async unprotected(world) {
      await replay(world, payloads, await serve(world, receiver(world)));
      return { effects: world.chat.messages };
    },

    async protected(world) {
      const send = await serve(world, protect(world, receiver(world)));
      await replay(world, payloads, send);
      const effects = world.chat.messages;
      const another = { id: world.newId("delivery"), payload: { event: "ping", body: {} } };
      const calls = await callsOf(world, () => send(another));
      return { effects, problems: [], calls };
    },
  };
}
