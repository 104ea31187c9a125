// State machine, register and unique insert: what a repeated request must not move twice.
import { same } from "../expect.mjs";

const definition = {
  initial: "new",
  events: {
    pay: { from: ["new"], to: "paid" },
    ship: { from: ["paid"], to: "shipped" },
  },
};

/** The answer without what differs from run to run. */
const outcomeOf = (answer) => answer.outcome;

export const entityCases = [
  {
    title: "state machine: a request moves once, and gets its answer again after later moves",
    async run(core) {
      const orders = core.createStateMachine({
        store: core.createMemoryStore(),
        name: "order",
        definition,
        data: { paid: 0 },
      });
      const pay = () =>
        orders.fire("order-1", "pay", {
          requestId: "pay-1",
          data: ({ paid }) => ({ paid: paid + 100 }),
        });
      same(outcomeOf(await orders.create("order-1")), "created");
      const first = await pay();
      same(outcomeOf(first), "moved");
      same(outcomeOf(await orders.fire("order-1", "ship", { requestId: "ship-1" })), "moved");
      same(outcomeOf(await pay()), "moved", "the answer of a retry");
      same(outcomeOf(await orders.fire("order-1", "pay", { requestId: "pay-2" })), "refused");
      const { state, data } = await orders.get("order-1");
      same([state, data], ["shipped", { paid: 100 }]);
      same(
        (await orders.history("order-1")).map((move) => move.requestId),
        ["pay-1", "ship-1"],
      );
    },
  },
  {
    title: "register: concurrent updates all count, a repeated one once, a refusal is replayed",
    async run(core) {
      const stock = core.createRegister({ store: core.createMemoryStore(), name: "stock" });
      const take = (left, { refuse }) => (left > 0 ? left - 1 : refuse("sold out"));
      await stock.update("sku", "fill", () => 3);
      const requests = ["a", "b", "a", "c"].map((buyer) => stock.update("sku", buyer, take));
      same((await Promise.all(requests)).map(outcomeOf), Array(4).fill("updated"));
      same((await stock.get("sku")).value, 0);
      same(await stock.update("sku", "d", take), {
        outcome: "refused",
        reason: "sold out",
        replayed: false,
      });
      await stock.update("sku", "refill", () => 5);
      same((await stock.update("sku", "d", take)).replayed, true);
      same((await stock.get("sku")).value, 5);
    },
  },
  {
    title: "unique insert: all keys or none, and the creator is recognised",
    async run(core) {
      const accounts = core.createUniqueInsert({
        store: core.createMemoryStore(),
        name: "account",
      });
      const register = (email, phone, requestId) =>
        accounts.insert({ keys: { email, phone }, value: { email, phone }, requestId });
      same(outcomeOf(await register("a@x", "1", "r1")), "created");
      same(outcomeOf(await register("a@x", "1", "r1")), "replayed");
      same(outcomeOf(await register("a@x", "1", "r2")), "exists");
      same(await register("b@x", "1", "r3"), { outcome: "conflict", key: "phone" });
      same(await accounts.get({ email: "b@x" }), undefined, "nothing of a conflicting insert");
    },
  },
];
