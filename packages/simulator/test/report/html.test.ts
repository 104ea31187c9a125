import { describe, expect, it } from "vitest";
import { COLUMNS } from "../../src/explore/matrix.ts";
import { renderReport } from "../../src/report/index.ts";
import { fixtureMatrix, fixtureViolations, SURPRISE_TOKEN, TOKEN } from "./fixture.ts";
import { malformed } from "./well-formed.ts";

const matrix = fixtureMatrix();
const violations = await fixtureViolations(matrix);
const html = renderReport(matrix, violations, { facts: { version: "1 < 2" } });

describe("the report", () => {
  it("loads nothing", () => {
    const rest = html.replaceAll("http://www.w3.org/2000/svg", "");
    expect(rest).not.toMatch(/https?:|\/\/[a-z]|url\(|@import|src=|<link|<img|fetch\(|import\(/i);
  });

  it("has a cell for each cell of the matrix, lettered and coloured", () => {
    const cells = [
      ...html.matchAll(/<td class="cell (\w+)"[^>]*>(?:<a href="#v\d+">)?<b>([^<]+)<\/b> ?(\w*)/g),
    ];
    expect(cells).toHaveLength(matrix.rows.length * COLUMNS.length);
    const wanted = matrix.rows.flatMap((row) => row.cells.map(({ verdict }) => verdict));
    expect(cells.map(([, verdict]) => verdict)).toEqual(wanted);
    const letters = {
      holds: "H",
      lost: "L",
      notLost: "m",
      violated: "V!",
      notFound: "N!",
      untried: "–",
    };
    for (const [, verdict = "", letter] of cells) {
      expect(letter).toBe(letters[verdict as keyof typeof letters]);
    }
    expect(cells.some(([, , , count]) => count === "all")).toBe(true);
    expect(cells.some(([, , , count]) => count === "19k")).toBe(true);
  });

  it("tells surprises before anything else, and says it when there are none", () => {
    expect(html.indexOf('id="surprises"')).toBeLessThan(html.indexOf("<table"));
    expect(html).toContain("2 surprises");
    const calm = renderReport({ ...matrix, surprises: [] }, []);
    expect(calm).toContain("No surprises");
    expect(calm).not.toContain('id="surprises"');
  });

  it("shows each violation with sentence, reason, plan, story, diagram and command", () => {
    const sections = html.split('<details class="violation"').slice(1);
    expect(sections).toHaveLength(2);
    const [surprise = "", lost = ""] = sections;
    expect(surprise).toContain(
      "At no time do two nodes hold the lock | whose lease &lt;both&gt; believe",
    );
    expect(surprise).toContain("this is a surprise");
    expect(surprise).toContain(`npx onceproof replay ${SURPRISE_TOKEN}`);
    expect(surprise).toContain("is held for 1,700 ms</li>");
    expect(lost).toContain(`npx onceproof replay ${TOKEN}`);
    expect(lost).toContain("<code>rerun</code> says so.");
    expect(lost).toContain("api-1 crashes as it sends its 2nd call to the store");
    expect(lost).toContain("is charged for k1 a second time");
    for (const section of sections) {
      expect(section).toContain("<svg");
      expect(section).not.toContain("<style>");
    }
    for (const svg of html.match(/<svg[\s\S]*?<\/svg>/g) ?? []) {
      expect(malformed(svg)).toBeUndefined();
    }
  });

  it("leads every link to something, and every id is one", () => {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) {
      expect(ids).toContain(target);
    }
  });

  it("escapes what it is given", () => {
    expect(html).toContain("1 &lt; 2");
    expect(html).not.toContain("<both>");
    expect(html).not.toContain("<r1>");
    expect(html).not.toMatch(/>[^<]*(undefined|NaN|\[object)[^<]*</);
  });
});
