// A consumer ships the parcel, and its ACK is lost on the way back. The broker keeps its promise and
// delivers again.

import { createDedup } from "@onceproof/core";
import { callsOf, type Disaster } from "../disaster.js";
import { Broker, type Message } from "../world/broker.js";
import { createApp, loseReplies } from "../world/http-server.js";
import type { World } from "../world/world.js";

type Consume = (message: Message, key?: string) => Promise<unknown>;

/** The consumer as it is often written, trusting that a message comes once. */
const consumer =
  ({ warehouse }: World): Consume =>
  (message, key) =>
    warehouse.ship(String(message.body), key);

function protect(world: World, ship: Consume): Consume {
  const { common } = world;
  // #region recipe
  const inbox = createDedup({ name: "inbox", onCrash: "rerun", ...common });
  // #endregion
  return async (message) => {
    // #region recipe
    await inbox.run(message.id, (ctx) => ship(message, ctx.childKey("parcel")));
    // then ACK
    // #endregion
  };
}

async function serve(world: World, consume: Consume): Promise<Broker> {
  const app = createApp();
  app.use(loseReplies(1));
  app.post("/messages", async (c) => {
    await consume(await c.req.json<Message>());
    return c.json("ack");
  });
  return new Broker(world.client, `${await world.serve(app)}/messages`);
}

export const redeliveredMessage: Disaster = {
  name: "redelivered-message",
  title: "Message redelivered, its ACK was lost",
  counted: "parcels shipped",
  expected: 1,
  algorithm: "dedup",
  factories: ["createDedup"],
  source: import.meta.url,

  async unprotected(world) {
    const broker = await serve(world, consumer(world));
    await broker.deliver({ id: world.id("message-1"), body: "order-1" });
    return { effects: world.warehouse.parcels };
  },

  async protected(world) {
    const broker = await serve(world, protect(world, consumer(world)));
    const deliveries = await broker.deliver({ id: world.id("message-1"), body: "order-1" });
    const effects = world.warehouse.parcels;
    const problems = deliveries === 2 ? [] : [`there were ${deliveries} deliveries instead of 2`];
    const another = { id: world.newId("message"), body: "order-2" };
    const calls = await callsOf(world, () => broker.deliver(another));
    return { effects, problems, calls };
  },
};
