// An order is paid in two tabs at once, shipped, and then paid again in a tab that was left open.
// "Is it paid?" is the wrong question: a shipped order is no longer in the state "paid".

import { createStateMachine } from "@onceproof/core";
import { callsOf, type Disaster } from "../disaster.js";
import { createApp } from "../world/http-server.js";
import type { World } from "../world/world.js";

const PRICE = 100;

interface Orders {
  create(orderId: string): Promise<unknown>;
  /** `requestId` names the click: its retry is the same request, another tab's is not. */
  pay(orderId: string, requestId: string): Promise<unknown>;
  ship(orderId: string, requestId: string): Promise<unknown>;
  state(orderId: string): Promise<string | undefined>;
}

/** The order as it is often written: a column that each request sets. */
function order({ bank, warehouse, table }: World): Orders {
  const states = table<string>("orders");
  return {
    create: (orderId) => states.put(orderId, "unpaid"),
    async pay(orderId) {
      if ((await states.get(orderId)) === "paid") {
        return;
      }
      await bank.charge(orderId, PRICE);
      await states.put(orderId, "paid");
    },
    async ship(orderId) {
      await warehouse.ship(orderId);
      await states.put(orderId, "shipped");
    },
    state: (orderId) => states.get(orderId),
  };
}

function protect({ store, bank, warehouse }: World): Orders {
  const charge = (orderId: string, key: string) => bank.charge(orderId, PRICE, key);
  // #region recipe
  const events = {
    pay: { from: ["unpaid"], to: "paying" },
    settle: { from: ["paying"], to: "paid" },
    ship: { from: ["paid"], to: "shipped" },
  } as const;
  const definition = { initial: "unpaid", events } as const;
  const orders = createStateMachine({ store, name: "order", definition });
  // #endregion
  return {
    async create(orderId) {
      // #region recipe
      await orders.create(orderId); // or no event finds it
      // #endregion
    },
    async pay(orderId, requestId) {
      // #region recipe
      const move = await orders.fire(orderId, "pay", { requestId });
      if (move.outcome === "moved") {
        await charge(orderId, requestId); // one request gets here, and its retries
        await orders.fire(orderId, "settle", { requestId: `${requestId}/settle` });
      }
      // #endregion
    },
    async ship(orderId, requestId) {
      const move = await orders.fire(orderId, "ship", { requestId });
      if (move.outcome === "moved") {
        await warehouse.ship(orderId, requestId);
      }
    },
    state: async (orderId) => (await orders.get(orderId))?.state,
  };
}

type Send = (orderId: string, requestId?: string) => Promise<unknown>;

interface Shop {
  readonly create: Send;
  readonly pay: Send;
  readonly ship: Send;
}

async function serve(world: World, orders: Orders): Promise<Shop> {
  const app = createApp();
  app.post("/orders/:id/create", async (c) => {
    await orders.create(c.req.param("id"));
    return c.json("created", 201);
  });
  app.post("/orders/:id/pay", async (c) => {
    await orders.pay(c.req.param("id"), c.req.header("idempotency-key") ?? "");
    return c.json("thank you");
  });
  app.post("/orders/:id/ship", async (c) => {
    await orders.ship(c.req.param("id"), c.req.header("idempotency-key") ?? "");
    return c.json("shipped");
  });
  const url = await world.serve(app);
  const send =
    (what: string): Send =>
    (orderId, requestId = `${what}-${orderId}`) =>
      world.client.post(`${url}/orders/${orderId}/${what}`, {}, { "idempotency-key": requestId });
  return { create: send("create"), pay: send("pay"), ship: send("ship") };
}

async function payThrice({ id }: World, { create, pay, ship }: Shop): Promise<void> {
  const order = id("order-1");
  await create(order);
  await Promise.all([pay(order, id("tab-1")), pay(order, id("tab-2"))]);
  await ship(order);
  await pay(order, id("tab-3"));
}

export const paidAgain: Disaster = {
  name: "paid-again",
  title: "Order paid twice, and again once shipped",
  counted: "money charged",
  expected: PRICE,
  algorithm: "state machine",
  factories: ["createStateMachine"],
  source: import.meta.url,

  async unprotected(world) {
    await payThrice(world, await serve(world, order(world)));
    return { effects: world.bank.charged };
  },

  async protected(world) {
    const orders = protect(world);
    const shop = await serve(world, orders);
    await payThrice(world, shop);
    const effects = world.bank.charged;
    const state = await orders.state(world.id("order-1"));
    const problems = state === "shipped" ? [] : [`the shipped order is "${state}" now`];
    const another = world.newId("order");
    await shop.create(another);
    const tab = world.newId("tab");
    return { effects, problems, calls: await callsOf(world, () => shop.pay(another, tab)) };
  },
};
