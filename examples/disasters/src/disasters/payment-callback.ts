// The payment provider reports one payment five times, since it has not seen "success" yet. Each
// report finds the order unpaid while the first is still granting the points.

import { createDedup } from "@onceproof/core";
import { callsOf, type Disaster } from "../disaster.js";
import type { Reply } from "../world/http-client.js";
import { createApp } from "../world/http-server.js";
import { Table } from "../world/table.js";
import type { World } from "../world/world.js";

const POINTS = 100;
const TIMES = 5;

interface Callback {
  /** The provider's own number of the payment. */
  readonly id: string;
  readonly orderId: string;
  readonly amount: number;
}

type Settle = (callback: Callback) => Promise<unknown>;
type Report = (callback: Callback) => Promise<Reply>;

/** The callback as it is often written: unless paid, grant the points and mark it paid. */
function settlement({ loyalty }: World): Settle {
  const orders = new Table<"paid">();
  return async ({ orderId }) => {
    if ((await orders.get(orderId)) === "paid") {
      return;
    }
    await loyalty.grant(`customer of ${orderId}`, POINTS);
    await orders.put(orderId, "paid");
  };
}

function protect(world: World, settle: Settle): Settle {
  const { store } = world;
  // #region recipe
  const callbacks = createDedup({ store, name: "paid", onCrash: "park" });
  // #endregion
  return async (callback) => {
    // #region recipe
    const options = { fingerprint: callback }; // another amount is refused
    await callbacks.run(callback.id, () => settle(callback), options);
    // #endregion
  };
}

async function serve(world: World, settle: Settle): Promise<Report> {
  const app = createApp();
  app.post("/callbacks/payment", async (c) => {
    await settle(await c.req.json<Callback>());
    return c.json("success");
  });
  const url = await world.serve(app);
  return (callback) => world.client.post(`${url}/callbacks/payment`, callback);
}

const callbackOf = (number: number): Callback => ({
  id: `transaction-${number}`,
  orderId: `order-${number}`,
  amount: 100,
});

const fiveTimes = (report: Report): Promise<unknown> =>
  Promise.all(Array.from({ length: TIMES }, () => report(callbackOf(1))));

export const paymentCallback: Disaster = {
  name: "payment-callback",
  title: "Payment callback arriving five times",
  counted: "points granted",
  expected: POINTS,
  algorithm: "dedup",
  factories: ["createDedup"],
  source: import.meta.url,

  async unprotected(world) {
    await fiveTimes(await serve(world, settlement(world)));
    return { effects: world.loyalty.granted };
  },

  async protected(world) {
    const report = await serve(world, protect(world, settlement(world)));
    await fiveTimes(report);
    const effects = world.loyalty.granted;
    const { status } = await report({ ...callbackOf(1), amount: 1 });
    const problems = status === 422 ? [] : ["the same payment with another amount got through"];
    return { effects, problems, calls: await callsOf(world, () => report(callbackOf(2))) };
  },
};
