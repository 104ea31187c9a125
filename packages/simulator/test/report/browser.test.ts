// Opens diagrams and the report in a real browser and measures what is drawn, in both colour schemes:
// what text takes there, not what we reckoned.
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "../../../test-servers/src/find.mjs";
import { drawDiagram, renderReport } from "../../src/report/index.ts";
import { fixtureMatrix, fixtureViolations } from "./fixture.ts";
import { FAULTS, randomRuns, runWith } from "./runs.ts";

const executablePath = findChromium();
const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];
const SCHEMES = ["light", "dark"] as const;

describe.skipIf(executablePath === undefined)("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath!,
      headless: true,
      args: FLAGS,
    });
  });
  afterAll(() => browser?.close());

  /** What overlaps, is clipped or is no XML in the diagrams of the page; written as text, it runs there. */
  const FLAWS = `(() => {
    const found = [];
    for (const svg of document.querySelectorAll("svg.onceproof-diagram")) {
      const outer = svg.getBoundingClientRect();
      const texts = [...svg.querySelectorAll("text")].map((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        return { text: text.textContent, left, right, top, bottom };
      });
      if (texts.length < 5 || outer.width < 100) found.push("nothing is drawn");
      for (const [index, one] of texts.entries()) {
        if (one.right <= one.left) found.push(one.text + " has no width");
        if (one.left < outer.left || one.right > outer.right || one.top < outer.top || one.bottom > outer.bottom) {
          found.push(one.text + " is clipped");
        }
        for (const other of texts.slice(index + 1)) {
          const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
          const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
          if (wide > 0.5 && high > 1) found.push(one.text + " overlaps " + other.text);
        }
      }
    }
    return found;
  })()`;

  for (const colorScheme of SCHEMES) {
    it(`draws diagrams without overlaps and clipping, ${colorScheme}`, async () => {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } });
      const drawn: string[] = [];
      for (const fault of FAULTS) {
        drawn.push(drawDiagram((await runWith(fault)).trace));
      }
      for await (const { result } of randomRuns(8)) {
        drawn.push(drawDiagram(result.trace));
      }
      await page.setContent(drawn.join("\n"));
      expect(await page.locator("svg").count()).toBe(drawn.length);
      expect(await page.evaluate(FLAWS)).toEqual([]);
      const wrong = await page.evaluate(
        `[...document.querySelectorAll("svg")].map((svg) => new DOMParser()
          .parseFromString(new XMLSerializer().serializeToString(svg), "image/svg+xml")
          .querySelector("parsererror")).filter(Boolean).length`,
      );
      expect(wrong).toBe(0);
      const paper = await page.evaluate(
        `getComputedStyle(document.querySelector("svg")).backgroundColor`,
      );
      expect(paper).toBe(colorScheme === "dark" ? "rgb(20, 23, 29)" : "rgb(255, 255, 255)");
      await page.close();
    });

    for (const width of [1280, 390]) {
      it(`shows the report ${width} px wide, ${colorScheme}`, async () => {
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        const errors: string[] = [];
        page.on("pageerror", (error) => errors.push(error.message));
        const matrix = fixtureMatrix();
        await page.setContent(renderReport(matrix, await fixtureViolations(matrix)));
        expect(await page.locator("details[open]").count()).toBe(1);
        await page.locator("[data-open]").click();
        expect(await page.locator("details[open]").count()).toBe(2);
        expect(await page.evaluate(FLAWS)).toEqual([]);
        const wide = await page.evaluate("document.documentElement.scrollWidth");
        expect(wide, "the page itself does not scroll sideways").toBeLessThanOrEqual(width);
        await page.locator("input[type=search]").fill("lock evicting");
        expect(await page.locator("td.cell:visible").count()).toBe(8);
        expect({ asked, errors }).toEqual({ asked: [], errors: [] });
        await page.close();
      });
    }
  }

  it("is readable without its script", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const matrix = fixtureMatrix();
    await page.setContent(renderReport(matrix, await fixtureViolations(matrix)));
    expect(await page.locator("td.cell:visible").count()).toBe(matrix.rows.length * 8);
    expect(await page.locator(".tools").isVisible()).toBe(false);
    await page.locator("details:not([open]) summary").click();
    expect(await page.locator("details[open] svg:visible").count()).toBe(2);
    await context.close();
  });
});
