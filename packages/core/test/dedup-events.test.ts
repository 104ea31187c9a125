import { inspect } from "node:util";
import { Final, type OnceproofEvent, Retryable } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  LEASE_MS,
  never,
  RETENTION_MS,
  settled,
} from "./support/dedup-world.ts";

const typesOf = (w: DedupWorld): string[] => w.events.map(({ type }) => type);

/** Everything that a dedup can go through, on one key after another. */
async function live(w: DedupWorld, tag: string, payload: unknown = undefined): Promise<unknown[]> {
  const dedup = w.dedup({ onCrash: "rerun" });
  const call = payload === undefined ? {} : { fingerprint: payload };
  const ends = [
    () => payload ?? "v",
    () => Promise.reject(new Retryable(`${tag} later`)),
    () => Promise.reject(new Final(`${tag} code`, `${tag} message`)),
    () => Promise.reject(new Error(`${tag} boom`)),
  ];
  const results: unknown[] = [];
  for (const [index, end] of ends.entries()) {
    for (let round = 0; round < 2; round += 1) {
      results.push(await w.run(settled(dedup.attempt(`${tag} ${index}`, end, call))));
    }
  }
  results.push(
    await w.run(
      dedup.attempt(
        `${tag} long`,
        async (ctx) => {
          await ctx.started();
          await ctx.step("charge", () => payload ?? 1);
          await w.runtime.sleep(LEASE_MS);
          return payload ?? "long";
        },
        call,
      ),
    ),
  );
  await w.run(w.claims({ onCrash: "rerun" }).begin(`${tag} crash`, call));
  const waited = settled(dedup.attempt(`${tag} crash`, () => payload ?? "over", { waitMs: 5 }));
  results.push(await w.run(waited));
  await w.runtime.advance(LEASE_MS);
  results.push(await w.run(dedup.attempt(`${tag} crash`, () => payload ?? "over", call)));
  results.push(await w.run(dedup.attempt(`${tag} crash`, never, { fingerprint: "other" })));
  w.inject({ fault: "dropReply" });
  results.push(await w.run(dedup.attempt(`${tag} lost`, () => payload ?? "v", call)));
  const issuedAtMs = w.runtime.wallNow() - RETENTION_MS - 1;
  results.push(await w.run(dedup.attempt(`${tag} old`, never, { issuedAtMs })));
  await w.run(dedup.attempt(`${tag} parked`, () => Promise.reject(new Error(tag))));
  results.push(await w.run(dedup.resolve(`${tag} parked`, { outcome: "done", value: payload })));
  return results;
}

describe("events", () => {
  test("tell what happened to a key, in order", async () => {
    const w = createWorld();
    const dedup = w.dedup({ onCrash: "rerun" });
    await w.run(dedup.run("k", () => 1));
    await w.run(dedup.run("k", never));
    expect(typesOf(w)).toEqual(["acquired", "completed", "replayed"]);
    expect(w.events[0]).toMatchObject({ attempt: 1, fencingToken: expect.any(Number) });
    expect(w.events[1]).toMatchObject({ recorded: true });
  });

  test.each<[string, string[]]>([
    ["mismatch", ["refused"]],
    ["wait", ["waiting", "refused"]],
    ["takeover", ["takenOver", "completed"]],
    ["retryable", ["acquired", "failed"]],
    ["final", ["acquired", "failed", "completed"]],
    ["unknown", ["acquired", "failed"]],
    ["expired", ["acquired", "expired"]],
    ["resolve", ["resolved"]],
    ["step", ["acquired", "started", "stepRecorded", "completed"]],
    ["renewal", ["acquired", "renewed", "renewed", "renewed", "completed"]],
    ["lost reply", ["unknown", "unknown", "acquired", "completed"]],
  ])("of a %s", async (what, types) => {
    const w = createWorld();
    const dedup = w.dedup({ onCrash: "rerun", revealKeys: true });
    const act: { readonly [what: string]: () => Promise<unknown> } = {
      mismatch: () => dedup.attempt("done", never, { fingerprint: 2 }),
      wait: () => dedup.attempt("held", never, { waitMs: 50 }),
      takeover: () => dedup.attempt("crashed", () => 1),
      retryable: () => dedup.attempt("k", () => Promise.reject(new Retryable("later"))),
      final: () => dedup.attempt("k", () => Promise.reject(new Final("no", "no"))),
      unknown: () => dedup.attempt("k", () => Promise.reject(new Error("boom"))),
      expired: () => dedup.attempt("k", never, { issuedAtMs: 0 }),
      resolve: () => dedup.resolve("crashed", { outcome: "notDone" }),
      step: () =>
        dedup.attempt("k", async (ctx) => {
          await ctx.started();
          await ctx.step("s", () => 1);
        }),
      renewal: () => dedup.attempt("k", () => w.runtime.sleep(LEASE_MS + 1)),
      "lost reply": () => {
        w.inject({ fault: "dropReply" });
        return dedup.attempt("k", () => 1);
      },
    };
    await w.run(dedup.attempt("done", () => 1, { fingerprint: 1 }));
    await w.run(w.claims().begin("crashed"));
    await w.runtime.advance(LEASE_MS);
    await w.run(w.claims().begin("held"));
    w.events.length = 0;
    await w.run(act[what]!());
    // The other owners tell their keys' hashes only.
    expect(w.events.filter(({ key }) => key !== undefined).map(({ type }) => type)).toEqual(types);
  });

  test("tell of a lease that is lost, and of the renewal that failed", async () => {
    const w = createWorld();
    await w.run(
      w.dedup().attempt("k", async () => {
        const restore = w.cut({ fault: "unavailable" });
        await w.runtime.sleep(LEASE_MS);
        restore();
      }),
    );
    expect(typesOf(w)).toEqual(expect.arrayContaining(["leaseLost", "renewalFailed", "completed"]));
    expect(typesOf(w).filter((type) => type === "leaseLost")).toHaveLength(1);
  });

  test("bear the factory's name and the key's hash, the same for one key everywhere", async () => {
    const w = createWorld();
    await live(w, "t");
    for (const event of w.events) {
      expect(event).toMatchObject({ algorithm: "dedup", name: "pay" });
      expect(event.keyHash).toMatch(/^[\w-]{22}$/);
      expect(event).not.toHaveProperty("key");
    }
    const other = createWorld();
    await live(other, "t");
    expect(other.events.map(({ keyHash }) => keyHash)).toEqual(
      w.events.map(({ keyHash }) => keyHash),
    );
    expect(new Set(w.events.map(({ keyHash }) => keyHash)).size).toBe(9);
  });

  test("bear the key itself only when asked to", async () => {
    const w = createWorld();
    await w.run(w.dedup({ revealKeys: true }).run("order-1", () => 1));
    expect(w.events.map((event) => event.key)).toEqual(["order-1", "order-1"]);
  });

  test("carry no key, value, payload or message in the clear, and neither do errors", async () => {
    const w = createWorld();
    const results = await live(w, "SECRET", { card: "SECRET 4111" });
    expect(w.events.length).toBeGreaterThan(20);
    const told = inspect(w.events, { depth: Number.POSITIVE_INFINITY, showHidden: true });
    expect(told).not.toContain("SECRET");
    expect(results.length).toBeGreaterThan(10);
    for (const key of ["SECRET 0", "SECRET crash", "SECRET old"]) {
      const again = w.dedup().run(key, never, { fingerprint: "another SECRET" });
      const { error } = await w.run(settled(again));
      expect(error).toBeInstanceOf(Error);
      expect((error as Error).stack).not.toContain("SECRET");
    }
  });

  test.each<[string, (event: OnceproofEvent) => unknown]>([
    ["throws", never],
    ["rejects", () => Promise.reject(new Error("hook"))],
    ["never settles", () => new Promise(() => {})],
    // biome-ignore lint/suspicious/noThenProperty: a hook may return anything
    ["returns a thenable that throws", () => ({ then: never })],
    ["changes the event", (event) => Object.assign(event, { type: "x", key: "y" })],
  ])("change no outcome when the hook %s", async (_, onEvent) => {
    const reference = createWorld();
    const expected = await live(reference, "t");
    const w = createWorld();
    const hooked: DedupWorld = {
      ...w,
      dedup: (overrides) => w.dedup({ ...overrides, onEvent }),
      claims: (overrides) => w.claims({ ...overrides, onEvent }),
    };
    const unlessStamp = (results: unknown[]): unknown =>
      JSON.parse(
        JSON.stringify(results, (key, value) => (key === "fencingToken" ? undefined : value)),
      );
    expect(unlessStamp(await live(hooked, "t"))).toEqual(unlessStamp(expected));
  });

  test("a hook that is handed over later is not called: without one nothing is built", async () => {
    const w = createWorld();
    await w.run(w.dedup({ onEvent: undefined as never }).run("k", () => 1));
    expect(w.events).toEqual([]);
  });
});
