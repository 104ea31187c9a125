// The two handlers in the simulator. What is outside in production is simulated here: a bank that
// acts once for each idempotency key, a mailer, a table.

import { type SimulationReport, simulate } from "@onceproof/simulator";
import { type Outside, payProtected, payUnprotected } from "./pay.js";

const services = () => ({ orders: new Set<string>() });

const effects = {
  charge: {
    idempotencyKey: (_orderId: string, _cents: number, key: string) => key || undefined,
    act: (orderId: string, cents: number, _key: string) => `${orderId} for ${cents}`,
  },
  // Nothing at a mail server tells a second mail from the first; twice is better than never.
  mail: { times: "atLeastOnce", act: (_orderId: string) => "sent" },
} as const;

const requests = [{ orderId: "o1", cents: 100 }];

interface Calls {
  readonly effects: Pick<Outside, "charge" | "mail">;
  readonly services: {
    readonly orders: {
      has(orderId: string): Promise<boolean>;
      add(orderId: string): Promise<unknown>;
    };
  };
}

function outsideOf({ effects: { charge, mail }, services: { orders } }: Calls): Outside {
  return { charge, mail, isPaid: orders.has, setPaid: orders.add };
}

export function simulateUnprotected(): Promise<SimulationReport> {
  return simulate({
    services,
    effects,
    requests,
    handler: (order, context) => payUnprotected(order, outsideOf(context)),
  });
}

export function simulateProtected(): Promise<SimulationReport> {
  return simulate({
    services,
    effects,
    requests,
    handler: (order, context) => payProtected(order, outsideOf(context), context),
  });
}
