// Handlers for the tests of `simulate`: as they are often written, and as they should be.

import { createDedup } from "@onceproof/core";
import type { HandlerContext } from "../../src/simulate/context.ts";

export interface Order {
  readonly orderId: string;
}

/** The order service's table. */
export const orders = (): { readonly db: Map<string, string> } => ({ db: new Map() });
type Services = ReturnType<typeof orders>;
export type Context = HandlerContext<Services, readonly ["charge", "mail"], undefined>;

/** Looks, charges, saves, mails: nothing protects it. */
export async function chargeSaveMail(
  { orderId }: Order,
  { effects, services }: Context,
): Promise<string> {
  if (await services.db.has(orderId)) {
    return "paid";
  }
  await effects.charge(orderId, 100);
  await services.db.set(orderId, "paid");
  await effects.mail(orderId);
  return "paid";
}

/** The same inside dedup; the bank knows the child key, a second mail is better than none. */
export const fixed = {
  services: orders,
  effects: {
    charge: {
      idempotencyKey: (_orderId: string, _cents: number, key: string) => key,
      act: (orderId: string, cents: number, _key: string) => `${orderId}: ${cents}`,
    },
    mail: { times: "atLeastOnce" },
  },
  requests: [{ orderId: "o1" }],
} as const;

type FixedContext = HandlerContext<Services, (typeof fixed)["effects"], undefined>;

export async function chargeOnce(
  { orderId }: Order,
  { effects, services, store, runtime }: FixedContext,
): Promise<string> {
  const payments = createDedup({ store, runtime, name: "pay", onCrash: "rerun" });
  return payments.run(orderId, async (ctx) => {
    await effects.charge(orderId, 100, ctx.childKey("charge"));
    await services.db.set(orderId, "paid");
    await ctx.step("mail", () => effects.mail(orderId));
    return "paid";
  });
}
