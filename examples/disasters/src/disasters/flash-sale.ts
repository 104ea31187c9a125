// A thousand buyers, a hundred teapots. Each request reads the stock, finds some, and writes back
// one less than it read.

import { createRegister } from "@onceproof/core";
import { callsOf, type Disaster } from "../disaster.js";
import { createApp } from "../world/http-server.js";
import type { World } from "../world/world.js";

/** Of so many buyers one gets a unit. */
const BUYERS_PER_UNIT = 10;

interface Shop {
  /** Puts units on sale. */
  stockUp(item: string, units: number): Promise<unknown>;
  /** Whether this order got a unit. */
  buy(item: string, orderId: string): Promise<boolean>;
  left(item: string): Promise<number | undefined>;
}

/** The sale as it is often written: look, then count down. */
function sale({ table }: World): Shop {
  const stock = table<number>("stock");
  return {
    stockUp: (item, units) => stock.put(item, units),
    async buy(item) {
      const left = (await stock.get(item)) ?? 0;
      if (left === 0) {
        return false;
      }
      await stock.put(item, left - 1);
      return true;
    },
    left: (item) => stock.get(item),
  };
}

function protect({ store }: World): Shop {
  // #region recipe
  const stock = createRegister<number>({ store, name: "stock" });
  // #endregion
  return {
    stockUp: (item, units) => stock.update(item, "delivery-1", () => units),
    async buy(item, orderId) {
      // #region recipe
      const bought = await stock.update(item, orderId, (left = 0, { refuse }) =>
        left > 0 ? left - 1 : refuse("sold out"),
      );
      // #endregion
      switch (bought.outcome) {
        case "updated":
          return true;
        case "refused":
          return false;
        default:
          throw new Error(bought.outcome);
      }
    },
    left: async (item) => (await stock.get(item)).value,
  };
}

type Buy = Shop["buy"];

async function serve(world: World, shop: Shop, units: number): Promise<Buy> {
  const app = createApp();
  app.post("/items/:item/orders/:id", async (c) => {
    const { item, id } = c.req.param();
    return (await shop.buy(item, id)) ? c.json("yours") : c.json("sold out", 409);
  });
  const url = await world.serve(app);
  await shop.stockUp(world.id("teapot"), units);
  return async (item, orderId) => {
    const reply = await world.client.postUntilAnswered(
      `${url}/items/${item}/orders/${orderId}`,
      {},
    );
    return reply.status === 200;
  };
}

/** How many buyers were told that a unit is theirs. */
async function rush({ id }: World, buy: Buy, buyers: number): Promise<number> {
  const teapot = id("teapot");
  const orders = Array.from({ length: buyers }, (_, buyer) => buy(teapot, id(`order-${buyer}`)));
  return (await Promise.all(orders)).filter(Boolean).length;
}

/** The sale with so many buyers. */
export function flashSale(buyers: number): Disaster {
  const units = buyers / BUYERS_PER_UNIT;
  return {
    name: "flash-sale",
    title: `${buyers.toLocaleString("en")} buyers for ${units} units of stock`,
    counted: "units sold",
    expected: units,
    algorithm: "register",
    factories: ["createRegister"],
    source: import.meta.url,

    async unprotected(world) {
      return { effects: await rush(world, await serve(world, sale(world), units), buyers) };
    },

    async protected(world) {
      const shop = protect(world);
      const buy = await serve(world, shop, units);
      const effects = await rush(world, buy, buyers);
      const left = await shop.left(world.id("teapot"));
      const problems = left === 0 ? [] : [`sold out with ${left} units left`];
      const saucer = world.newId("saucer");
      await shop.stockUp(saucer, 1);
      return { effects, problems, calls: await callsOf(world, () => buy(saucer, "order-1")) };
    },
  };
}
