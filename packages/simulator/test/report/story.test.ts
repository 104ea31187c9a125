import { describe, expect, it } from "vitest";
import { readTrace } from "../../src/report/reading.ts";
import { describeFault, describePlan, storyLines, tellStory } from "../../src/report/story.ts";
import { createShortener, formatUs, ordinal, readableKey } from "../../src/report/words.ts";
import type { FaultAt } from "../../src/world/fault-plan.ts";
import type { TraceEvent } from "../../src/world/trace.ts";
import { FAULTS, randomRuns, run, runWith } from "./runs.ts";

const strike = (fault: (typeof FAULTS)[number]): FaultAt => ({
  ...{ from: "api-1", to: "store", nth: 2 },
  ...fault,
});

describe("faults in words", () => {
  it("says for every fault which call it strikes", () => {
    const told = FAULTS.map((fault) => describeFault(strike(fault)));
    for (const text of told) {
      expect(text).toMatch(/api-1/);
      expect(text).toMatch(/\b2nd call to the store\b/);
    }
    expect(new Set(told).size).toBe(FAULTS.length);
  });

  it("says what the docs say", () => {
    expect(describeFault(strike({ fault: "dropReply" }))).toBe(
      "the reply of api-1's 2nd call to the store is dropped",
    );
    expect(describeFault({ ...strike({ fault: "refuse" }), to: "bank", nth: 11 })).toBe(
      "the connection of api-1's 11th call to the bank is refused",
    );
    expect(describePlan([])).toBe("nothing goes wrong");
    expect(describePlan([strike({ fault: "dropRequest" }), strike({ fault: "evict" })])).toBe(
      "the request of api-1's 2nd call to the store is dropped; " +
        "the store evicts the keys of api-1's 2nd call to the store before it carries it out",
    );
  });
});

describe("words", () => {
  it("reads wire keys, and leaves alone what is none", () => {
    expect(readableKey("3:pay5:dedup2:k1")).toBe("pay/dedup/k1");
    expect(readableKey("3:a:b5:dedup4:3:cd")).toBe("a:b/dedup/3:cd");
    expect(readableKey("k1")).toBe("k1");
    expect(readableKey("9:short")).toBe("9:short");
  });

  it("writes times and ordinals", () => {
    expect([0, 12_300, 1_500_000, 1_505_132, 99_960].map(formatUs)).toEqual([
      ...["0 ms", "12.3 ms", "1,500 ms", "1,505.1 ms", "100 ms"],
    ]);
    expect([1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal).join(" ")).toBe(
      "1st 2nd 3rd 4th 11th 12th 13th 21st 112th",
    );
  });

  it("shortens opIds and fencing tokens, and keeps distinct ones distinct", async () => {
    const { trace } = await runWith({ fault: "crash", phase: "send", forMs: 500 });
    const short = createShortener(trace);
    const opIds = new Set<string>();
    const revisions = new Set<number>();
    for (const event of trace) {
      if (event.type === "sent" && event.ask.ask === "write") {
        opIds.add(event.ask.write.opId);
      }
      if (event.type === "effect" && event.fencingToken !== undefined) {
        revisions.add(event.fencingToken);
      }
    }
    expect(opIds.size).toBeGreaterThan(4);
    expect(new Set([...opIds].map(short.opId)).size).toBe(opIds.size);
    expect(revisions.size).toBe(2);
    expect(new Set([...revisions].map(short.revision)).size).toBe(2);
    expect(Math.max(...[...revisions].map((each) => short.revision(each).length))).toBeLessThan(12);
  });
});

describe("what belongs together", () => {
  const at = (atUs: number, event: object): TraceEvent => ({ atUs, ...event }) as TraceEvent;
  const asked = (atUs: number, message: number, from: string): TraceEvent =>
    at(atUs, {
      ...{ type: "sent", message, from, to: "api-1", nth: message },
      ask: { ask: "call", what: from },
    });
  const started = ["api-1", "alice", "bob"].map((node) =>
    at(0, { type: "node", node, change: "started" }),
  );
  const began = (atUs: number, operation: number): TraceEvent =>
    at(atUs, { type: "began", operation, node: "api-1", what: "lock.acquire r1" });
  const ended = (atUs: number, operation: number): TraceEvent =>
    at(atUs, { type: "ended", operation, node: "api-1", what: "acquired" });
  const linked = (trace: readonly TraceEvent[]): readonly (number | undefined)[] =>
    [...readTrace(trace).messages.values()].map(({ operation }) => operation);

  it("finds a request's first operation, though the answer comes with its last", () => {
    const trace = [
      ...[...started, asked(10, 1, "alice"), began(1_000, 0), ended(2_000, 0)],
      ...[began(30_000, 1), ended(31_000, 1)],
      at(31_000, { type: "arrived", message: 1, copy: 0, outcome: "answered" }),
    ];
    expect(linked(trace)).toEqual([0]);
    const direct = [...trace.slice(0, 4), began(1_000, 0), ended(2_000, 0), began(2_000, 1)];
    const answered = at(3_000, { type: "arrived", message: 1, copy: 0, outcome: "answered" });
    expect(linked([...direct, ended(3_000, 1), answered])).toEqual([0]);
  });

  it("does not guess whose operation it is", () => {
    const two = [...started, asked(10, 1, "alice"), asked(20, 2, "bob"), began(1_000, 0)];
    expect(linked(two)).toEqual([undefined, undefined]);
    expect(linked([...started, asked(10, 1, "alice"), began(1_000, 0)])).toEqual([0]);
    expect(linked([...started, asked(10, 1, "alice"), began(60_000, 0)])).toEqual([undefined]);
  });

  it("shortens ids in keys and answers, and takes no key for a revision", () => {
    const id = "OWfKsccSlO5QFaDmUcahyQ";
    const trace = [
      ...started,
      at(1, {
        ...{ type: "sent", message: 1, from: "api-1", to: "store", nth: 1 },
        ask: { ask: "read", key: `4:form6:tokens22:${id}` },
      }),
      at(2, {
        ...{ type: "arrived", message: 1, copy: 0 },
        outcome: "applied r1800000000001000,1800000000003000",
      }),
      at(3, { type: "lost", message: 1, leg: "reply" }),
      at(4, { type: "began", operation: 0, node: "api-1", what: "lock.acquire r1" }),
    ];
    const story = tellStory(trace);
    expect(story).toContain("form/tokens/OWfK…");
    expect(story).toContain("applied r…1000,…3000");
    expect(story).toContain("lock.acquire r1");
  });
});

describe("stories", () => {
  it("tells of a crash before the outcome is recorded how the bank is charged twice", async () => {
    const { trace } = await runWith({ fault: "crash", phase: "send", forMs: 500 });
    const story = tellStory(trace);
    const wanted = [
      "api-1 asks the store to create pay/dedup/k1 as running (opId OAqZ…)",
      "the bank is charged for k1 by api-1",
      "api-1 crashes as it sends its 2nd call to the store, and starts anew after 500 ms",
      "api-1 starts anew",
      "api-1 takes over and runs the handler of k1 with fencing token …1505132",
      "the bank is charged for k1 a second time by api-1",
    ];
    let from = 0;
    for (const sentence of wanted) {
      const at = story.indexOf(sentence, from);
      expect(at, `${sentence}\nin\n${story}`).toBeGreaterThanOrEqual(0);
      from = at;
    }
    expect(story).not.toContain("3:pay");
  });

  it("is shorter when it is to be short, and in the order of time", async () => {
    const { trace } = await runWith({ fault: "dropReply" });
    const short = storyLines(trace);
    const full = storyLines(trace, { detail: "full" });
    expect(short.length).toBeLessThan(full.length * 0.7);
    const times = full.map(({ atUs }) => atUs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it("mentions every fault that struck, and every effect, for any plan", async () => {
    let faults = 0;
    for await (const { name, result } of randomRuns(100)) {
      const lines = storyLines(result.trace);
      for (const fault of result.struck) {
        faults += 1;
        const told = lines.filter(({ text }) => text === describeFault(fault));
        expect(told.length, `${name}: ${describeFault(fault)}`).toBeGreaterThan(0);
      }
      const effects = lines.filter(({ kind }) => kind === "effect" || kind === "again");
      expect(effects.length, name).toBe(result.history.effects.length);
      expect(lines.filter(({ text }) => /undefined|\[object|NaN/.test(text))).toEqual([]);
    }
    expect(faults).toBeGreaterThan(100);
  });

  it("tells an undisturbed run without faults", async () => {
    const { trace } = await run([]);
    expect(storyLines(trace).filter(({ kind }) => kind === "fault" || kind === "again")).toEqual(
      [],
    );
  });
});
