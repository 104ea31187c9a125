// The bugs of a handler as it is often written are found with one fault or none; the handler that
// uses dedup passes the same plans.

import { createDedup } from "@onceproof/core";
import { describe, expect, it } from "vitest";
import type { FaultName } from "../../src/index.ts";
import { simulate } from "../../src/index.ts";
import { chargeOnce, chargeSaveMail, fixed, orders } from "./handlers.ts";

const buggy = {
  services: orders,
  effects: ["charge", "mail"],
  handler: chargeSaveMail,
  requests: [{ orderId: "o1" }],
} as const;

describe("look, charge, save, mail", async () => {
  const report = await simulate({ ...buggy, budget: { plans: 600 } });
  const found = (kind: string, effect: string, gap: string) =>
    report.findings.find(
      (each) => each.kind === kind && each.effect === effect && each.gap === gap,
    );

  it("has all plans of one fault tried", () => {
    expect(report.complete.one).toBe(true);
    expect(report.plans.one).toBeGreaterThan(400);
    expect(report.ok).toBe(false);
  });

  it("charges twice after a lost reply and after a crash before it saves", () => {
    const finding = found("double", "charge", "charge → db.set");
    expect(finding?.plan).toHaveLength(1);
    expect(finding?.faults).toEqual(expect.arrayContaining(["lost reply", "crash", "pause"]));
    expect(finding?.where).toBe(
      "between charge and db.set: `charge` was carried out, and its answer was lost",
    );
    expect(finding?.how).toBe('charge("o1", 100) took place 2 times');
  });

  it("loses the mail after a crash between saving and mailing", () => {
    const finding = found("lost", "mail", "db.set → mail");
    expect(finding?.plan).toHaveLength(1);
    expect(finding?.faults).toEqual(expect.arrayContaining(["lost reply", "crash"]));
    expect(finding?.how).toBe('mail("o1") never took place');
  });

  it("charges twice when two nodes race, without any fault", () => {
    const finding = found("double", "charge", "two at once");
    expect(finding?.plan).toEqual([]);
    expect(finding?.faults).toEqual([]);
    expect(finding?.where).toBe(
      "two deliveries at once, without any fault: api-1 and api-2 both reached `charge`",
    );
  });

  it("blames no gap in which nothing goes wrong, and no fault for what a race does", () => {
    const rows = report.gaps.filter(({ gap }) => gap === "request → db.has");
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.flatMap(({ violations }) => violations)).toEqual([]);
    const again = report.gaps.find(({ gap }) => gap === "delivered again");
    expect(again).toMatchObject({ fault: "none", plans: 1, violations: [] });
  });

  it("tells each thing once in each gap, with a story, a diagram and a token", () => {
    const keys = report.findings.map(({ kind, effect, gap }) => `${kind} ${effect} ${gap}`);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { story, diagram, token } of report.findings) {
      expect(story).toContain('api-1 calls charge("o1", 100)');
      expect(diagram).toMatch(/^<svg [\s\S]*<\/svg>$/);
      expect(token).toMatch(/^op1\./);
    }
    expect(found("double", "charge", "charge → db.set")?.story).toContain(
      '‼ charge("o1", 100) takes place a second time, by api-2',
    );
  });

  it("tells how much was tried, and each gap with what goes wrong there", () => {
    const text = String(report);
    expect(text).toMatch(/^\d+ findings in \d+ plans: 8 without a fault, \d+ of one \(all\)/);
    expect(text).toContain("db.set → mail");
    const html = report.toHtml();
    expect(html).toContain("<svg ");
    expect(html).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
  });
});

it("gives the same report for the same options", async () => {
  const options = { ...buggy, traffic: ["retries"], budget: { plans: 60 }, seed: 7 } as const;
  const [one, other] = [await simulate(options), await simulate(options)];
  expect(String(one)).toBe(String(other));
  expect(one.findings.length).toBeGreaterThan(0);
});

describe("the same inside dedup, with a bank that knows the child key", () => {
  it("passes every plan of one fault", async () => {
    const report = await simulate({ ...fixed, handler: chargeOnce, budget: { plans: 1_000 } });
    expect(report.findings.map(({ where, how }) => `${where}: ${how}`)).toEqual([]);
    expect(report.complete.one).toBe(true);
    expect(report.plans.two).toBeGreaterThan(100);
  }, 120_000);

  it("passes every plan of two faults of a small set", async () => {
    const kept: readonly FaultName[] = ["dropReply", "crash"];
    const without = NAMES.filter((name) => !kept.includes(name));
    const report = await simulate({
      ...fixed,
      handler: chargeOnce,
      traffic: ["retries"],
      without,
      budget: { plans: 2_000 },
    });
    expect(report.findings.map(({ where, how }) => `${where}: ${how}`)).toEqual([]);
    expect(report.complete).toEqual({ one: true, two: true });
    expect(report.plans.two).toBeGreaterThan(200);
  }, 120_000);
});

describe("each choice of dedup is found out for what it is", () => {
  it.each([
    ["known", "rerun", "atLeastOnce", []],
    ["known", "rerun", "once", ["double mail"]],
    ["taken", "rerun", "atLeastOnce", ["double charge"]],
    ["taken", "park", "atLeastOnce", ["lost charge", "lost mail", "stuck"]],
  ] as const)(
    "a child key that is %s, %s, mail %s",
    async (bank, onCrash, times, expected) => {
      const { idempotencyKey } = fixed.effects.charge;
      const report = await simulate({
        services: orders,
        effects: { charge: bank === "known" ? { idempotencyKey } : {}, mail: { times } },
        requests: [{ orderId: "o1" }],
        traffic: ["retries"],
        budget: { plans: 300 },
        handler: ({ orderId }, { effects, services, store, runtime }) =>
          createDedup({ store, runtime, name: "pay", onCrash }).run(orderId, async (ctx) => {
            await effects.charge(orderId, 100, ctx.childKey("charge"));
            await services.db.set(orderId, "paid");
            await ctx.step("mail", () => effects.mail(orderId));
            return "paid";
          }),
      });
      const found = report.findings.map(({ kind, effect = "" }) => `${kind} ${effect}`.trim());
      expect([...new Set(found)]).toEqual(expected);
      expect(report.complete.one).toBe(true);
    },
    60_000,
  );
});

const NAMES: readonly FaultName[] = [
  ...(["dropRequest", "dropReply", "holdRequest", "holdReply", "duplicate", "refuse"] as const),
  ...(["crash", "pause", "suspend", "cut", "jumpClock", "jumpStoreClock"] as const),
  ...(["restartStore", "failover", "evict", "staleReads"] as const),
];
