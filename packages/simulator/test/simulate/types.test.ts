// What the handler's types follow from: if inference breaks, this file no longer compiles.

import { expect, expectTypeOf, it } from "vitest";
import { simulate } from "../../src/index.ts";

const few = { traffic: ["retries"], budget: { plans: 1 } } as const;

it("types effects by name, services and the request", async () => {
  const report = await simulate({
    services: () => ({ db: new Map<string, number>() }),
    effects: ["charge", "mail"],
    requests: [{ orderId: "o1" }],
    handler: async (request, { effects, services }) => {
      expectTypeOf(request).toEqualTypeOf<{ orderId: string }>();
      expectTypeOf(services.db.get).returns.toEqualTypeOf<Promise<number | undefined>>();
      expectTypeOf(effects).toHaveProperty("mail");
      // @ts-expect-error there is no such effect
      expect(effects.refund).toBeUndefined();
      await effects.charge(request.orderId);
      await effects.mail(request.orderId);
    },
    ...few,
  });
  expect(report.ok).toBe(true);
});

it("types an effect by what it does, over the services of the run", async () => {
  const report = await simulate({
    services: () => ({ bank: { total: 0, add: (cents: number) => cents } }),
    effects: (services) => ({
      charge: {
        act: (orderId: string, cents: number) => {
          services.bank.total += cents;
          return { receipt: `${orderId}:${services.bank.total}` };
        },
        key: (orderId) => orderId,
      },
    }),
    start: ({ node }) => ({ startedOn: node }),
    handler: async ({ id }, { effects, local }) => {
      expectTypeOf(local).toEqualTypeOf<{ startedOn: string }>();
      const { receipt } = await effects.charge(id, 100);
      expectTypeOf(receipt).toBeString();
      // @ts-expect-error cents are a number
      void (() => effects.charge(id, "100"));
      return receipt;
    },
    check: ({ services }) => (services.bank.total === 100 ? undefined : `${services.bank.total}`),
    ...few,
  });
  expect(report.findings).toEqual([]);
});

it("needs no more than a handler and the names of its effects", async () => {
  const report = await simulate({
    effects: ["mail"],
    handler: ({ id }, { effects }) => effects.mail(id),
    ...few,
  });
  expect(report.ok).toBe(true);
});
