// Each kind of finding, in a handler that has it and in one that has not.

import { createDedup, Final } from "@onceproof/core";
import { describe, expect, it } from "vitest";
import { simulate } from "../../src/index.ts";

const quick = { traffic: ["retries"], budget: { plans: 80 } } as const;
const kindsOf = ({ findings }: { findings: readonly { kind: string }[] }) => [
  ...new Set(findings.map(({ kind }) => kind)),
];

describe("double", () => {
  it("counts effects by all their arguments, unless a key says what is the same", async () => {
    const twice = { ...quick, budget: { plans: 1 } } as const;
    const apart = await simulate({
      ...twice,
      effects: ["charge"],
      handler: async ({ id }, { effects }) => {
        await effects.charge(id, 1);
        await effects.charge(id, 2);
      },
    });
    expect(apart.ok).toBe(true);
    const same = await simulate({
      ...twice,
      effects: { charge: { key: (id) => id } },
      handler: async ({ id }, { effects }) => {
        await effects.charge(id, 1);
        await effects.charge(id, 2);
      },
    });
    expect(same.findings).toMatchObject([
      { kind: "double", effect: "charge", gap: "no fault", how: "charge r1 took place 2 times" },
    ]);
  });

  it("is no matter to an effect that may repeat, nor to a sink that knows the key", async () => {
    const effects = {
      mail: { times: "atLeastOnce" },
      charge: { idempotencyKey: (id: string) => id, act: (id: string) => `receipt of ${id}` },
    } as const;
    const receipts = new Set<string>();
    const report = await simulate({
      ...quick,
      effects,
      handler: async ({ id }, ctx) => {
        receipts.add(await ctx.effects.charge(id));
        await ctx.effects.mail(id);
      },
    });
    expect(report.findings).toEqual([]);
    expect([...receipts]).toEqual(["receipt of r1"]);
  });

  it("is not counted when the sink threw", async () => {
    const report = await simulate({
      ...quick,
      budget: { plans: 1 },
      services: () => ({ bank: new Map<string, number>() }),
      effects: ({ bank }) => ({
        charge: {
          act: (id: string) => {
            bank.set(id, (bank.get(id) ?? 0) + 1);
            if (bank.get(id) === 1) {
              throw new Error("try again");
            }
          },
        },
      }),
      handler: ({ id }, { effects }) => effects.charge(id),
      check: ({ services }) => (services.bank.get("r1") === 2 ? undefined : "no second try"),
    });
    expect(report.findings).toEqual([]);
  });
});

describe("lost", () => {
  const fireAndForget = (times: "atLeastOnce" | "atMostOnce") =>
    simulate({
      ...quick,
      effects: { mail: { times } },
      handler: async ({ id }, { effects }) => {
        void effects.mail(id);
      },
    });

  it("finds a call that nobody awaits", async () => {
    const report = await fireAndForget("atLeastOnce");
    expect(kindsOf(report)).toEqual(["lost"]);
    expect(report.findings[0]).toMatchObject({ effect: "mail", gap: "request → mail" });
  });

  it("is no matter to an effect that may be missing", async () => {
    // What is left: the client's request that comes twice by itself.
    expect(kindsOf(await fireAndForget("atMostOnce"))).toEqual(["double"]);
  });

  it("says when the arguments differ from run to run", async () => {
    const report = await simulate({
      ...quick,
      budget: { plans: 100 },
      effects: ["mail"],
      handler: async ({ id }, { effects, attempt }) => {
        await effects.mail(id, attempt);
      },
    });
    const hows = report.findings.map(({ how }) => how);
    expect(hows).toContain(
      'mail("r1", 1) never took place, but mail("r1", 2) did: if these are the same, tell it by ' +
        "the effect's `key`",
    );
  });

  it("waits for what is still under way", async () => {
    // The mail arrives five leases late: nobody may call it lost before.
    const without = ["dropRequest", "dropReply", "refuse", "cut", "crash", "pause"] as const;
    const report = await simulate({
      ...quick,
      without,
      effects: { mail: { times: "atLeastOnce" } },
      handler: async ({ id }, { effects }) => {
        void effects.mail(id);
      },
    });
    expect(report.findings).toEqual([]);
    expect(report.gaps.some(({ fault }) => fault === "late request")).toBe(true);
  });
});

describe("disagree", () => {
  const answerByAttempt = (sameAnswers: boolean) =>
    simulate({
      traffic: ["redelivery"],
      budget: { plans: 1 },
      sameAnswers,
      services: () => ({ db: new Map<string, string>() }),
      effects: ["charge"],
      handler: async ({ id }, { effects, services }) => {
        if (await services.db.has(id)) {
          return { status: "already paid" };
        }
        await effects.charge(id);
        await services.db.set(id, "paid");
        return { status: "paid" };
      },
    });

  it("compares all answers to one request", async () => {
    const report = await answerByAttempt(true);
    expect(report.findings).toMatchObject([
      {
        kind: "disagree",
        gap: "delivered again",
        how:
          'request r1: client was told { status: "paid" }, ' +
          'client-again was told { status: "already paid" }',
      },
    ]);
  });

  it("is not looked at when the caller says so", async () => {
    expect(await answerByAttempt(false)).toMatchObject({ ok: true });
  });
});

describe("stuck", () => {
  it("finds a handler that hangs", async () => {
    const report = await simulate({
      ...quick,
      budget: { plans: 1 },
      effects: ["mail"],
      handler: () => new Promise(() => {}),
    });
    expect(report.findings).toMatchObject([
      {
        kind: "stuck",
        how: "client never got an answer to request r1: the handler came to no end",
      },
    ]);
  });

  it("tells what the handler threw, again and again", async () => {
    const report = await simulate({
      ...quick,
      budget: { plans: 1 },
      effects: ["mail"],
      handler: () => {
        throw new RangeError("no such order");
      },
    });
    expect(report.findings[0]?.how).toContain("the handler threw RangeError: no such order");
  });

  it("takes a final rejection for an answer", async () => {
    const report = await simulate({
      ...quick,
      budget: { plans: 1 },
      effects: { mail: { times: "atMostOnce" } },
      handler: () => {
        throw new Final("declined", "no funds");
      },
    });
    expect(report.ok).toBe(true);
  });

  it("finds the key that waits for a person", async () => {
    const park = (isFinal?: (error: unknown) => boolean) =>
      simulate({
        ...quick,
        effects: { charge: { times: "atMostOnce" } },
        client: isFinal === undefined ? {} : { isFinal },
        handler: ({ id }, { effects, store, runtime }) =>
          createDedup({ store, runtime, name: "pay", onCrash: "park" }).run(id, async () => {
            await effects.charge(id);
            return "paid";
          }),
      });
    expect(kindsOf(await park())).toEqual(["stuck"]);
    const told = await park((error) => (error as { code?: string }).code === "indeterminate");
    expect(told.findings).toEqual([]);
  });

  it("ends a run that would go on for ever", async () => {
    const report = await simulate({
      ...quick,
      budget: { plans: 1 },
      effects: ["mail"],
      start: ({ sleep }) => {
        const poll = async (): Promise<void> => {
          for (;;) {
            await sleep(0.001);
          }
        };
        void poll();
      },
      handler: () => "ok",
    });
    expect(report.findings[0]).toMatchObject({ kind: "stuck" });
    expect(report.findings[0]?.how).toContain("no end after");
  }, 60_000);
});

describe("check", () => {
  it("is asked when everything has come to rest, and told in its own words", async () => {
    const report = await simulate({
      ...quick,
      services: () => ({ stock: { left: 1, take: takeOne } }),
      effects: { ship: { times: "atLeastOnce" } },
      handler: async ({ id }, { effects, services }) => {
        await services.stock.take();
        await effects.ship(id);
      },
      check: ({ services: { stock } }) => (stock.left < 0 ? `${stock.left} are left` : undefined),
    });
    expect(report.findings.map(({ kind, how }) => `${kind} ${how}`)).toContain("check -1 are left");
  });
});

describe("check that fails in other ways", () => {
  const checked = (check: () => unknown) =>
    simulate({
      ...quick,
      effects: { ship: { times: "atLeastOnce" } },
      handler: ({ id }, { effects }) => effects.ship(id),
      check: check as () => undefined,
    });

  it("tells what it throws as a finding with plan, story and token", async () => {
    const { findings } = await checked(() => {
      throw new RangeError("one too few");
    });
    expect(findings).toMatchObject([{ kind: "check", title: "check", how: "one too few" }]);
    expect(findings[0]).toMatchObject({ plan: [], token: expect.stringMatching(/^op1\./) });
    expect(findings[0]?.story).toContain("ship");
  });

  it.each<[string, () => unknown, RegExp]>([
    ["false", () => false, /must return undefined if all is well.*got false/],
    ["a promise", async () => "wrong", /check must be synchronous/],
    ["a rejection", () => Promise.reject(new Error("no")), /check must be synchronous/],
  ])("refuses %s", async (_, check, message) => {
    await expect(checked(check)).rejects.toThrow(message);
    await expect(checked(check)).rejects.toMatchObject({ code: "optionInvalid" });
  });
});

describe("neverCalled", () => {
  it("finds the effect that a handler forgets, once, and nothing that it may leave out", async () => {
    const report = await simulate({
      ...quick,
      effects: {
        charge: {},
        mail: { times: "atLeastOnce" },
        refund: { times: "atMostOnce" },
        log: { times: "atLeastOnce" },
      },
      handler: ({ id }, { effects }) => effects.log(id),
    });
    expect(report.findings).toMatchObject([
      { title: "neverCalled charge", gap: "no fault", where: "without any fault", plan: [] },
      { title: "neverCalled mail", kind: "neverCalled", effect: "mail" },
    ]);
    expect(report.findings[0]?.how).toContain(
      "charge was never called, though nothing went wrong: is it wired?",
    );
    expect(String(report)).toContain("1. neverCalled charge, without any fault");
  });

  it("counts calls of every kind of traffic, and what a sink refuses", async () => {
    const report = await simulate({
      budget: { plans: 1 },
      services: () => ({ db: new Set<string>() }),
      effects: {
        again: { times: "atLeastOnce" },
        paid: {
          times: "atLeastOnce",
          act: (_id: string) => {
            throw new Error("closed");
          },
        },
      },
      sameAnswers: false,
      handler: async ({ id }, { effects, services }) => {
        if (await services.db.has(id)) {
          return effects.again(id);
        }
        await services.db.add(id);
        return effects.paid(id).catch(() => {});
      },
    });
    expect(kindsOf(report)).not.toContain("neverCalled");
  });
});

describe("a handler that fails without any fault", () => {
  it("is tried no further, and told with its error", async () => {
    const report = await simulate({
      effects: ["mail"],
      handler: () => {
        throw new RangeError("no such order");
      },
    });
    expect(report.plans).toEqual({ none: 1, one: 0, two: 0 });
    expect(report.complete).toEqual({ one: false, two: false });
    expect(report.findings).toMatchObject([
      {
        title: "stuck",
        where: "it fails without any fault: the handler threw RangeError: no such order each time",
      },
    ]);
    const [stuck] = report.findings;
    const again = await simulate({
      effects: ["mail"],
      replay: stuck?.token ?? "",
      handler: () => {
        throw new RangeError("no such order");
      },
    });
    expect(again.findings[0]?.where).toBe(stuck?.where);
  });

  it("is told before what follows from it", async () => {
    const report = await simulate({
      effects: ["mail"],
      handler: async ({ id }, { effects }) => {
        await effects.mail(id);
        throw new RangeError("no such order");
      },
    });
    expect(report.findings.map(({ title }) => title)).toEqual(["stuck", "double mail"]);
  });

  it("is asked about real I/O if it comes to no end", async () => {
    const report = await simulate({ effects: ["mail"], handler: () => new Promise(() => {}) });
    expect(report.findings[0]?.where).toBe(
      "it comes to no end without any fault: it awaits something outside the simulation (real I/O?)",
    );
  });

  it("names the error where only a fault makes it fail", async () => {
    const report = await simulate({
      ...quick,
      effects: { mail: { times: "atMostOnce" } },
      services: () => ({ db: new Set<string>() }),
      handler: async ({ id }, { effects, services }) => {
        if (await services.db.has(id)) {
          throw new Error("order is half done");
        }
        await services.db.add(id);
        await effects.mail(id);
      },
    });
    const stuck = report.findings.find(({ kind }) => kind === "stuck");
    expect(stuck?.plan).toHaveLength(1);
    expect(stuck?.where).toMatch(/; then the handler threw Error: order is half done/);
  });
});

function takeOne(this: { left: number }): number {
  this.left -= 1;
  return this.left;
}

describe("two requests whose effects are alike", () => {
  const requests = [{ id: "r1" }, { id: "r2" }];

  it("are not taken for one that took place twice", async () => {
    const { ok } = await simulate({
      ...quick,
      budget: { plans: 1 },
      requests,
      effects: { mail: { times: "once" } },
      handler: (_, { effects }) => effects.mail("welcome"),
    });
    expect(ok).toBe(true);
  });

  it("do not hide that one of them is lost", async () => {
    const { findings } = await simulate({
      ...quick,
      requests,
      effects: { mail: { times: "atLeastOnce" } },
      without: ["cut"],
      handler: async (_, { effects }) => {
        await effects.mail("welcome").catch(() => {});
      },
    });
    expect(kindsOf({ findings })).toContain("lost");
  });
});
