import { describe, expect, it } from "vitest";
import { type Box, overlap } from "../../src/report/diagram/sweep.ts";
import { textWidth } from "../../src/report/diagram/text.ts";
import { drawDiagram, type Layout, layOutDiagram } from "../../src/report/diagram.ts";
import type { TraceEvent } from "../../src/world/trace.ts";
import { FAULTS, randomRuns, run, runWith } from "./runs.ts";
import { malformed } from "./well-formed.ts";

/** Names what overlaps or leaves the picture. */
function flaws({ labels, width, height, arrows, bars, dots }: Layout): readonly string[] {
  const found: string[] = [];
  for (const [index, { box, text }] of labels.entries()) {
    if (box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height) {
      found.push(`${text} is outside`);
    }
    for (const other of labels.slice(index + 1)) {
      if (overlap(box, other.box)) {
        found.push(`${text} overlaps ${other.text} at ${JSON.stringify([box, other.box])}`);
      }
    }
  }
  const points = [...arrows.flatMap(({ from, to }) => [from, to]), ...dots, ...bars];
  const inside = points.every(({ x, y }) => x >= 0 && x <= width && y >= 0 && y <= height);
  return inside && points.every(({ y }) => Number.isFinite(y))
    ? found
    : [...found, "a point is outside"];
}

/** The arrows that a trace asks for, as `message leg`. */
function wantedArrows(trace: readonly TraceEvent[]): readonly string[] {
  const wanted: string[] = [];
  for (const event of trace) {
    if (event.type === "sent") {
      wanted.push(`${event.message} request`);
    } else if (event.type === "arrived") {
      wanted.push(`${event.message} ${event.copy === 0 ? "reply" : "copy"}`);
    }
  }
  return wanted.sort();
}

describe("diagrams", () => {
  it("draws every message and every answer, labels apart and inside, for any plan", async () => {
    let messages = 0;
    let runs = 0;
    for await (const { name, result } of randomRuns(200)) {
      const layout = layOutDiagram(result.trace);
      expect(flaws(layout), name).toEqual([]);
      const drawn = layout.arrows.map(({ message, leg }) => `${message} ${leg}`).sort();
      expect(drawn, name).toEqual(wantedArrows(result.trace));
      expect(layout.dots.length, name).toBe(result.history.effects.length);
      messages += drawn.length;
      runs += 1;
      if (runs % 4 !== 0) {
        continue;
      }
      const svg = drawDiagram(result.trace);
      expect(malformed(svg), name).toBeUndefined();
      expect(svg, name).not.toMatch(/NaN|undefined|Infinity|\[object/);
      expect(flaws(layOutDiagram(result.trace, { detail: "short" })), name).toEqual([]);
    }
    expect(messages).toBeGreaterThan(2_000);
  });

  it("leaves room enough for every label of its trace", async () => {
    for await (const { name, result } of randomRuns(40)) {
      const { labels } = layOutDiagram(result.trace);
      const texts = labels.map(({ text }) => text);
      const effects = result.trace.filter(({ type }) => type === "effect").length;
      const styles = labels.filter(({ style }) => style === "effect" || style === "again");
      expect(styles.length, name).toBe(effects);
      const operations = result.trace.filter(({ type }) => type === "began" || type === "ended");
      expect(labels.filter(({ style }) => style === "operation").length, name).toBe(
        operations.length,
      );
      const lost = result.trace.filter(({ type }) => type === "lost").length;
      expect(
        texts.filter((text) => /^(request|reply) lost$|^refused$/.test(text)).length,
      ).toBeGreaterThanOrEqual(lost);
    }
  });

  it("goes downwards in time, and marks gaps instead of drawing them", async () => {
    const { trace } = await runWith({ fault: "crash", phase: "send", forMs: 500 });
    const layout = layOutDiagram(trace);
    expect(layout.height).toBeLessThan(1_400);
    expect(layout.gaps.map(({ us }) => us).filter((us) => us > 2_900_000)).toHaveLength(1);
    for (const { from, to } of layout.arrows) {
      expect(to.y).toBeGreaterThanOrEqual(from.y);
    }
  });

  it("orders lanes: clients, nodes, the store, sinks", async () => {
    const { lanes } = layOutDiagram((await run([])).trace);
    expect(lanes.map(({ name }) => name)).toEqual([
      ...["alice", "bob", "carol", "last-k1", "api-1", "api-2", "last", "store", "bank"],
    ]);
    const xs = lanes.map(({ x }) => x);
    expect(xs).toEqual([...xs].sort((a, b) => a - b));
  });

  it("marks what each fault does", async () => {
    const seen: Record<string, Layout> = {};
    for (const [index, fault] of FAULTS.entries()) {
      const { trace, struck } = await runWith(fault);
      expect(struck, JSON.stringify(fault)).toHaveLength(1);
      seen[
        `${fault.fault} ${"phase" in fault ? fault.phase : "legs" in fault ? fault.legs : index}`
      ] = layOutDiagram(trace);
    }
    const arrow = (name: string, message: number, leg: string) =>
      seen[name]!.arrows.find((each) => each.message === message && each.leg === leg);
    const struckOf = (name: string, leg: string) => arrow(name, 7, leg);
    expect(struckOf("dropRequest 0", "request")?.end).toBe("lost");
    expect(struckOf("dropReply 1", "reply")?.end).toBe("lost");
    expect(struckOf("holdRequest 2", "request")?.held).toBe(true);
    expect(struckOf("holdReply 4", "reply")).toMatchObject({ held: true, end: "unheeded" });
    expect(struckOf("duplicate 5", "copy")?.end).toBe("heeded");
    expect(seen["crash send"]!.shades.map(({ kind }) => kind)).toEqual(["down"]);
    expect(seen["pause reply"]!.shades.map(({ kind }) => kind)).toEqual(["paused"]);
    expect(seen["suspend send"]!.shades.map(({ kind }) => kind)).toEqual(["suspended"]);
    expect(seen["cut both"]!.shades.map(({ kind }) => kind)).toEqual(["cut"]);
    expect(seen["jumpClock 16"]!.marks.map(({ kind }) => kind)).toContain("clock");
    for (const name of ["jumpStoreClock 17", "restartStore apply", "failover arrive", "evict 22"]) {
      expect(
        seen[name]!.marks.map(({ kind }) => kind),
        name,
      ).toContain("store");
    }
    for (const { shades } of Object.values(seen)) {
      expect(shades.every(({ height }) => height > 0)).toBe(true);
    }
  });

  it("highlights a second charge, and what it is told to", async () => {
    const { trace } = await runWith({ fault: "crash", phase: "send", forMs: 500 });
    const layout = layOutDiagram(trace, { highlight: { messages: [7], spans: [1], effects: [0] } });
    expect(layout.dots.map(({ again, hot }) => ({ again, hot }))).toEqual([
      { again: false, hot: true },
      { again: true, hot: true },
    ]);
    expect(layout.arrows.filter(({ hot }) => hot).map(({ message }) => message)).toEqual([7]);
    expect(layout.bars.filter(({ hot }) => hot).map(({ id, kind }) => `${kind} ${id}`)).toEqual([
      "span 1",
    ]);
    const tokens = layout.dots.map(({ token }) => token);
    expect(tokens).toEqual([0, 1]);
  });

  it("keeps its form with texts that nobody foresaw", () => {
    const odd = `<b>&"'\u0000]]> ${"長い".repeat(40)} \ud800 x`;
    const trace: TraceEvent[] = [
      { atUs: 0, type: "node", node: odd, change: "started" },
      { atUs: 1, type: "began", operation: 0, node: odd, what: odd },
      {
        atUs: 2,
        type: "sent",
        message: 1,
        from: odd,
        to: "s",
        nth: 1,
        ask: { ask: "call", what: odd },
      },
      { atUs: 3, type: "effect", sink: "s", from: odd, what: odd, accepted: false },
      { atUs: 3, type: "arrived", message: 1, copy: 0, outcome: odd },
      { atUs: 3, type: "store", change: odd },
    ];
    expect(malformed(drawDiagram(trace))).toBeUndefined();
    expect(flaws(layOutDiagram(trace))).toEqual([]);
    expect(malformed(drawDiagram([]))).toBeUndefined();
  });

  it("is an image with a description, and says on hovering what each thing is", async () => {
    const svg = drawDiagram((await run([])).trace, { title: "what it shows" });
    expect(svg).toMatch(/^<svg [^>]*role="img"/);
    expect(svg).toContain('aria-label="what it shows"');
    expect(svg).toContain("prefers-color-scheme:dark");
    const groups = svg.match(/<g class="arrow[^>]*>(?:<title>)?/g) ?? [];
    expect(groups.length).toBeGreaterThan(10);
    expect(groups.every((group) => group.endsWith("<title>"))).toBe(true);
    expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|url\(|@import/);
  });
});

describe("the checks of these tests", () => {
  it("see an overlap, a clipped label and malformed XML", () => {
    const box = (x: number): Box => ({ x, y: 0, width: 10, height: 10 });
    const label = (x: number) => ({
      ...{ text: "t", style: "note" as const, anchor: "start" as const, x, y: 10, box: box(x) },
    });
    const empty = { ...layOutDiagram([]), width: 30, height: 30 };
    expect(flaws({ ...empty, labels: [label(0), label(9)] })).toHaveLength(1);
    expect(flaws({ ...empty, labels: [label(0), label(11)] })).toEqual([]);
    expect(flaws({ ...empty, labels: [label(25)] })).toHaveLength(1);
    for (const bad of [
      "<a>",
      "<a b=c/>",
      "<a>&x;</a>",
      "<a/><b/>",
      "<a></b>",
      '<a b="1" b="2"/>',
    ]) {
      expect(malformed(bad), bad).toBeDefined();
    }
    expect(malformed('<a b="1">x &amp; y<c/></a>')).toBeUndefined();
    expect(textWidth("iiii")).toBe(textWidth("MMMM"));
  });
});
