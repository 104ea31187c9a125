// The handler under test, twice. It knows nothing of the simulator: it is given its bank, its
// mailer and its table, as in production.

import { type AtomicStore, createDedup } from "@onceproof/core";
import type { Runtime } from "@onceproof/core/advanced";

export interface Order {
  readonly orderId: string;
  readonly cents: number;
}

export interface Outside {
  charge(orderId: string, cents: number, idempotencyKey: string): Promise<unknown>;
  mail(orderId: string): Promise<unknown>;
  isPaid(orderId: string): Promise<boolean>;
  setPaid(orderId: string): Promise<unknown>;
}

/** As it is often written: looks, charges, saves, mails. */
export async function payUnprotected({ orderId, cents }: Order, outside: Outside): Promise<string> {
  if (await outside.isPaid(orderId)) {
    return "paid";
  }
  await outside.charge(orderId, cents, "");
  await outside.setPaid(orderId);
  await outside.mail(orderId);
  return "paid";
}

/** Inside dedup: one order is one payment, and what is sent again bears the same key. */
export function payProtected(
  { orderId, cents }: Order,
  outside: Outside,
  { store, runtime }: { readonly store: AtomicStore; readonly runtime: Runtime },
): Promise<string> {
  const payments = createDedup({ store, runtime, name: "pay", onCrash: "rerun" });
  return payments.run(orderId, async (ctx) => {
    await outside.charge(orderId, cents, ctx.childKey("charge"));
    await outside.setPaid(orderId);
    await ctx.step("mail", () => outside.mail(orderId));
    return "paid";
  });
}
