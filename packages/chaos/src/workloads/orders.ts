// Orders that everybody pushes through their states: each request moves its order once, and gets
// the same answer again, even long after the order has moved on.
import { createStateMachine, type StateMachine } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import { SETTLE_MS, type Workload } from "../worker/lane.js";

const EPOCH_MS = 2_000;
const ORDERS = 5;

export const INITIAL = "new";
export const EVENTS = {
  pay: { from: ["new"], to: "paid" },
  ship: { from: ["paid", "returned"], to: "shipped" },
  giveBack: { from: ["shipped"], to: "returned" },
  cancel: { from: ["new", "paid"], to: "cancelled" },
  reopen: { from: ["cancelled"], to: "new" },
} as const;

type State = "new" | "paid" | "shipped" | "returned" | "cancelled";
export type OrderEvent = keyof typeof EVENTS;
const NAMES = Object.keys(EVENTS) as [OrderEvent, ...OrderEvent[]];

export interface OrderData {
  readonly moves: number;
}

export interface FireAsk {
  readonly id: string;
  readonly requestId: string;
  readonly event: OrderEvent;
}

export interface CreateAsk {
  readonly id: string;
  readonly requestId: string;
}

export type Orders = StateMachine<State, OrderEvent, OrderData>;

export function createOrders(store: AtomicStore): Orders {
  return createStateMachine<State, OrderEvent, OrderData>({
    store,
    name: "orders",
    definition: { initial: INITIAL, events: EVENTS },
    data: { moves: 0 },
    settleMs: SETTLE_MS,
    requestWindow: 4_096,
    maxRounds: 12,
  });
}

export function fireOrder(orders: Orders, ask: FireAsk): ReturnType<Orders["fire"]> {
  const { id, requestId, event } = ask;
  return orders.fire(id, event, { requestId, data: ({ moves }) => ({ moves: moves + 1 }) });
}

export const orders: Workload = (lane) => {
  const { random } = lane;
  const machine = createOrders(lane.store);
  const created = new Set<string>();
  let earlier: FireAsk | undefined;
  return async () => {
    const id = `${lane.epoch(EPOCH_MS)}/${random.int(1, ORDERS)}`;
    if (!created.has(id)) {
      const ask: CreateAsk = { id, requestId: `${lane.by} ${lane.next()}` };
      const told = await lane.ask("create", ask, () =>
        machine.create(id, { requestId: ask.requestId }),
      );
      if (told === undefined || told.outcome === "indeterminate") return lane.pause(60);
      created.add(id);
    }
    const again = earlier !== undefined && random.chance(0.3);
    const ask: FireAsk = (again ? earlier : undefined) ?? {
      id,
      requestId: `${lane.by} ${lane.next()}`,
      event: random.pick(NAMES),
    };
    earlier = ask;
    await lane.ask("fire", ask, () => fireOrder(machine, ask));
    await lane.pause(50);
  };
};
