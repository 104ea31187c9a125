// What the README says: the handler as it is often written is found wrong, and the other is not.

import { expect, it } from "vitest";
import { simulateProtected, simulateUnprotected } from "../src/simulations.js";

it("finds the unprotected handler wrong, with a page of diagrams", async () => {
  const report = await simulateUnprotected();
  expect(report.complete.one).toBe(true);
  const found = new Set(report.findings.map(({ title }) => title));
  expect([...found]).toEqual(["double charge", "lost mail"]);
  expect(report.toHtml().match(/<svg /g)).toHaveLength(report.findings.length);
});

it("finds nothing in the protected one, in all plans of one fault", async () => {
  const report = await simulateProtected();
  expect(String(report)).toMatch(/^nothing found in/);
  expect(report.complete.one).toBe(true);
}, 120_000);
