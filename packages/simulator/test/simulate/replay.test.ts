// A token repeats its run exactly, also when what it shows has been mended.

import { expect, it } from "vitest";
import { encodeToken, simulate } from "../../src/index.ts";
import { chargeSaveMail, orders } from "./handlers.ts";

const options = {
  services: orders,
  effects: ["charge", "mail"],
  handler: chargeSaveMail,
  requests: [{ orderId: "o1" }],
} as const;

it("repeats every finding, trace for trace", async () => {
  const report = await simulate({ ...options, budget: { plans: 150 } });
  expect(report.findings.length).toBeGreaterThan(2);
  for (const { token, traceHash, kind, effect, how, story } of report.findings) {
    const again = await simulate({ ...options, replay: token });
    expect(again.run).toMatchObject({ traceHash, story });
    expect(again.findings).toContainEqual(expect.objectContaining({ kind, effect, how }));
    expect(again.findings.every((each) => each.traceHash === traceHash)).toBe(true);
  }
});

it("tells the run of a token in which nothing is wrong any more", async () => {
  const found = await simulate({ ...options, traffic: ["retries"], budget: { plans: 60 } });
  const { token } = found.findings[0]!;
  const mended = await simulate({
    ...options,
    replay: token,
    effects: { charge: { times: "atMostOnce" }, mail: { times: "atMostOnce" } },
    handler: async () => "done nothing",
  });
  expect(mended.ok).toBe(true);
  expect(String(mended)).toContain('api-1 ends request o1: returned "done nothing"');
});

it("says how a finding is repeated, in text and on the page", async () => {
  const report = await simulate({ ...options, traffic: ["retries"], budget: { plans: 60 } });
  const { token } = report.findings[0]!;
  expect(String(report)).toContain(`replay: simulate({ ...options, replay: "${token}" })`);
  expect(report.toHtml()).toContain(
    `replay: simulate({ ...options, replay: &quot;${token}&quot; })`,
  );
});

it("refuses the token of another scenario, and one that is cut off", async () => {
  const other = encodeToken({
    scenario: "dedup/rerun",
    profile: "durable",
    workload: "double-click",
    seed: 1,
    plan: [],
  });
  for (const replay of [other, "op1.abc", "nonsense"]) {
    await expect(simulate({ ...options, replay })).rejects.toMatchObject({
      code: "optionInvalid",
    });
  }
});
