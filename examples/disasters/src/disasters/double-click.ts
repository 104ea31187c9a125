// A customer clicks "pay" twice. Both requests find the order unpaid, and both charge it.

import { isDeepStrictEqual } from "node:util";
import { createDedup } from "@onceproof/core";
import { callsOf, type Disaster } from "../disaster.js";
import { createApp } from "../world/http-server.js";
import type { Receipt } from "../world/sinks.js";
import type { World } from "../world/world.js";

const PRICE = 100;

/** `key` names the charge to the bank, should it come again. */
type Pay = (orderId: string, key?: string) => Promise<Receipt>;

/** The payment as it is often written: look whether it was paid, then charge. */
function payment({ bank, table }: World): Pay {
  const receipts = table<Receipt>("receipts");
  return async (orderId, key) => {
    const paid = await receipts.get(orderId);
    if (paid !== undefined) {
      return paid;
    }
    const receipt = await bank.charge(orderId, PRICE, key);
    return receipts.put(orderId, receipt);
  };
}

function protect(world: World, pay: Pay): Pay {
  const { common } = world;
  // #region recipe
  const payments = createDedup({ name: "pay", onCrash: "rerun", ...common });
  // #endregion
  return async (orderId) => {
    // #region recipe
    const receipt = await payments.run(orderId, (ctx) => {
      return pay(orderId, ctx.childKey("charge")); // the bank's Idempotency-Key
    });
    // #endregion
    return receipt;
  };
}

async function serve(world: World, pay: Pay): Promise<(orderId: string) => Promise<unknown>> {
  const app = createApp();
  app.post("/orders/:id/pay", async (c) => c.json(await pay(c.req.param("id"))));
  const url = await world.serve(app);
  return async (orderId) => (await world.client.post(`${url}/orders/${orderId}/pay`, {})).body;
}

export const doubleClick: Disaster = {
  name: "double-click",
  title: "Double-clicked payment",
  counted: "money charged",
  expected: PRICE,
  algorithm: "dedup",
  factories: ["createDedup"],
  source: import.meta.url,

  async unprotected(world) {
    const pay = await serve(world, payment(world));
    const order = world.id("order-1");
    await Promise.all([pay(order), pay(order)]);
    return { effects: world.bank.charged };
  },

  async protected(world) {
    const pay = await serve(world, protect(world, payment(world)));
    const order = world.id("order-1");
    const [one, other] = await Promise.all([pay(order), pay(order)]);
    const effects = world.bank.charged;
    const problems = isDeepStrictEqual(one, other) ? [] : ["the clicks got different receipts"];
    const another = world.newId("order");
    return { effects, problems, calls: await callsOf(world, () => pay(another)) };
  },
};
