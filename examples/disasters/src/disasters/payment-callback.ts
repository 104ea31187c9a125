// The payment provider reports one payment five times, since it has not seen "success" yet. Each
// report finds the order unpaid while the first is still granting the points.

import { createDedup } from "@onceproof/core";
import { callsOf, type Disaster } from "../disaster.js";
import type { Reply } from "../world/http-client.js";
import { createApp } from "../world/http-server.js";
import type { World } from "../world/world.js";

const POINTS = 100;
const TIMES = 5;

interface Callback {
  /** The provider's own number of the payment. */
  readonly id: string;
  readonly orderId: string;
  readonly amount: number;
}

type Settle = (callback: Callback, key?: string) => Promise<unknown>;
type Report = (callback: Callback) => Promise<Reply>;

/** The callback as it is often written: unless paid, grant the points and mark it paid. */
function settlement({ loyalty, table }: World): Settle {
  const orders = table<"paid">("orders");
  return async ({ orderId }, key) => {
    if ((await orders.get(orderId)) === "paid") {
      return;
    }
    await loyalty.grant(`customer of ${orderId}`, POINTS, key);
    await orders.put(orderId, "paid");
  };
}

function protect(world: World, settle: Settle): Settle {
  const { common } = world;
  // #region recipe
  const callbacks = createDedup({ name: "paid", onCrash: "rerun", ...common });
  // #endregion
  return async (callback) => {
    // #region recipe
    const { id } = callback;
    await callbacks.run(id, (ctx) => settle(callback, ctx.childKey("grant")), {
      fingerprint: callback, // another amount is refused
    });
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

const callbackOf = (id: string): Callback => ({ id, orderId: `order of ${id}`, amount: 100 });

const fiveTimes = ({ id }: World, report: Report): Promise<unknown> =>
  Promise.all(Array.from({ length: TIMES }, () => report(callbackOf(id("transaction-1")))));

export const paymentCallback: Disaster = {
  name: "payment-callback",
  title: "Payment callback arriving five times",
  counted: "points granted",
  expected: POINTS,
  algorithm: "dedup",
  factories: ["createDedup"],
  source: import.meta.url,

  async unprotected(world) {
    await fiveTimes(world, await serve(world, settlement(world)));
    return { effects: world.loyalty.granted };
  },

  async protected(world) {
    const report = await serve(world, protect(world, settlement(world)));
    await fiveTimes(world, report);
    const effects = world.loyalty.granted;
    const { status } = await report({ ...callbackOf(world.id("transaction-1")), amount: 1 });
    const problems = status === 422 ? [] : ["the same payment with another amount got through"];
    const another = callbackOf(world.newId("transaction"));
    return { effects, problems, calls: await callsOf(world, () => report(another)) };
  },
};
