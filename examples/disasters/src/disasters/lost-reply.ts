// An order is created, and the connection breaks before the reply. The client cannot know, so it
// sends the request again, as it should.

import { randomUUID } from "node:crypto";
import { createUniqueInsert } from "@onceproof/core";
import { callsOf, type Disaster } from "../disaster.js";
import { createApp, loseReplies } from "../world/http-server.js";
import type { Table } from "../world/table.js";
import type { World } from "../world/world.js";

interface Order {
  readonly id: string;
  readonly item: string;
}

/** `key` names the request: the client makes it once and sends it with each retry. */
type Create = (draft: Order, key: string) => Promise<Order>;

/** The creation as it is often written: every request is a new order. */
const creation =
  (orders: Table<Order>): Create =>
  (draft) =>
    orders.put(draft.id, draft);

function protect({ store }: World, create: Create): Create {
  // #region recipe
  const orders = createUniqueInsert<Order>({ store, name: "order" });
  // #endregion
  return async (draft, key) => {
    // #region recipe
    const made = await orders.insert({ keys: key, value: draft, requestId: key });
    if (made.outcome === "indeterminate") throw new Error("ask again"); // 503
    if (made.outcome === "conflict") throw new Error("the key is taken"); // 422
    const order = made.value; // the first one, however often it is asked for
    // #endregion
    return create(order, key);
  };
}

async function serve(world: World, create: Create): Promise<(key: string) => Promise<Order>> {
  const app = createApp();
  app.use(loseReplies(1));
  app.post("/orders", async (c) => {
    const { item } = await c.req.json<{ item: string }>();
    const key = c.req.header("idempotency-key") ?? "";
    return c.json(await create({ id: randomUUID(), item }, key), 201);
  });
  const url = await world.serve(app);
  return async (key) => {
    const headers = { "idempotency-key": key };
    const body = { item: "teapot" };
    return (await world.client.postUntilAnswered(`${url}/orders`, body, headers)).body as Order;
  };
}

export const lostReply: Disaster = {
  name: "lost-reply",
  title: "Retry after the reply was lost",
  counted: "orders created",
  expected: 1,
  algorithm: "unique insert",
  factories: ["createUniqueInsert"],
  source: import.meta.url,

  async unprotected(world) {
    const orders = world.table<Order>("orders");
    const order = await serve(world, creation(orders));
    await order(world.id("request-1"));
    return { effects: orders.size };
  },

  async protected(world) {
    const orders = world.table<Order>("orders");
    const order = await serve(world, protect(world, creation(orders)));
    const { id } = await order(world.id("request-1"));
    const effects = orders.size;
    const problems = (await orders.get(id))
      ? []
      : ["the client was told an id that does not exist"];
    const another = world.newId("request");
    return { effects, problems, calls: await callsOf(world, () => order(another)) };
  },
};
