// What holds of signed tokens beyond what holds of all.

import { createTokens, type SigningKey, type Tokens, type TokensOptions } from "@onceproof/core";
import { createSkewedRuntime } from "@onceproof/simulator";
import { describe, expect, test } from "vitest";
import {
  codeOf,
  createStoreWorld,
  errorOf,
  type StoreWorld,
  withWrite,
} from "./support/store-world.ts";

const TOKEN_MS = 300_000;
const TOMBSTONE_MS = 300_000;
const AHEAD_MS = 7_200_000;
const OLD: SigningKey = { kid: "2025", secret: "the old secret, 32 characters long." };
const NEW: SigningKey = { kid: "2026", secret: new Uint8Array(32).fill(7) };

function tokensOf(world: StoreWorld, options: Partial<TokensOptions> = {}): Tokens {
  return createTokens({ ...world.base, signing: [OLD], ...options });
}

/** A world that notes the keys that are written to. */
function notedWorld(): { world: StoreWorld; keys: string[] } {
  const world = createStoreWorld();
  const keys: string[] = [];
  const base = withWrite(world.base, (write, send) => {
    keys.push(write.key);
    return send(write);
  });
  return { world: { ...world, base }, keys };
}

/** What is left of the only record there is. */
async function recordLeftMs({ faulty }: StoreWorld, keys: readonly string[]): Promise<number> {
  const { entry, now } = await faulty.direct.read(keys[0]!);
  return ((entry?.expiresAt ?? now) - now) / 1000;
}

/** Tokens of a process whose clock is so far ahead that the record's first life is too short. */
function farAhead(world: StoreWorld, beforeExtension = async (): Promise<void> => {}): Tokens {
  const base = withWrite(world.base, async (write, send) => {
    if (typeof write.next === "object" && "touch" in write.next) {
      await beforeExtension();
    }
    return send(write);
  });
  const runtime = createSkewedRuntime(world.runtime, AHEAD_MS);
  return createTokens({ ...base, runtime, signing: [OLD], retentionMs: TOKEN_MS });
}

describe("the signature covers every field", () => {
  test("a changed character at any place makes the token invalid, at no store call", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const token = await tokens.issue("alice");
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === "5" ? "6" : "5";
      const forged = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
      expect(await tokens.consume(forged, "alice"), `at ${at}`).toEqual({ outcome: "invalid" });
    }
    expect(world.counter.counts().total).toBe(0);
    expect(await tokens.consume(token, "alice")).toMatchObject({ outcome: "consumed" });
  });

  test("fields of two tokens do not mix", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const first = (await tokens.issue("alice")).split(".");
    await world.runtime.advance(1_000);
    const second = (await tokens.issue("alice")).split(".");
    for (let mixed = 1; mixed < 15; mixed += 1) {
      const fields = first.map((field, at) => (mixed & (1 << at) ? second[at]! : field));
      const token = fields.join(".");
      if (token !== first.join(".") && token !== second.join(".")) {
        expect(await tokens.consume(token, "alice")).toEqual({ outcome: "invalid" });
      }
    }
    expect(world.counter.counts().total).toBe(0);
  });

  test("name and subject cannot be shifted into each other", async () => {
    const world = createStoreWorld();
    const token = await tokensOf(world, { name: "ab" }).issue("cd");
    expect(await tokensOf(world, { name: "a" }).consume(token, "bcd")).toEqual({
      outcome: "invalid",
    });
    expect(await tokensOf(world, { name: "abc" }).consume(token, "d")).toEqual({
      outcome: "invalid",
    });
  });
});

describe("keys rotate", () => {
  test("a new key in front signs, and tokens of the old one stay valid", async () => {
    const world = createStoreWorld();
    const old = await tokensOf(world).issue("alice");
    const rotated = tokensOf(world, { signing: [NEW, OLD] });
    const fresh = await rotated.issue("alice");
    expect(fresh.startsWith("2026.")).toBe(true);
    expect(await rotated.consume(old, "alice")).toMatchObject({ outcome: "consumed" });
    expect(await rotated.consume(fresh, "alice")).toMatchObject({ outcome: "consumed" });
  });

  test("a token of a key that is no longer listed is invalid, at no call", async () => {
    const world = createStoreWorld();
    const token = await tokensOf(world).issue("alice");
    const after = tokensOf(world, { signing: [NEW] });
    expect(await after.consume(token, "alice")).toEqual({ outcome: "invalid" });
    expect(world.counter.counts().total).toBe(0);
  });

  test("the same kid with another secret is another key", async () => {
    const world = createStoreWorld();
    const token = await tokensOf(world).issue("alice");
    const other = tokensOf(world, { signing: [{ ...NEW, kid: OLD.kid }] });
    expect(await other.consume(token, "alice")).toEqual({ outcome: "invalid" });
  });

  test("a secret that the caller overwrites afterwards stays what it was", async () => {
    const world = createStoreWorld();
    const secret = new Uint8Array(32).fill(1);
    const tokens = tokensOf(world, { signing: [{ kid: "k", secret }] });
    const token = await tokens.issue("alice");
    secret.fill(0);
    expect(await tokens.consume(token, "alice")).toMatchObject({ outcome: "consumed" });
  });

  const short = "short-secret-of-31-characters!!";
  test.each([
    ["a short text", [{ kid: "k", secret: short }]],
    ["short bytes", [{ kid: "k", secret: new Uint8Array(31).fill(65) }]],
    ["no secret", [{ kid: "k" }]],
    ["a list of numbers", [{ kid: "k", secret: Array.from({ length: 64 }, () => 65) }]],
    ["an empty kid", [{ ...NEW, kid: "" }]],
    ["a kid with a dot", [{ ...NEW, kid: "a.b" }]],
    ["a kid that is too long", [{ ...NEW, kid: "k".repeat(33) }]],
    ["two keys of one kid", [NEW, { ...OLD, kid: NEW.kid }]],
    ["no key", []],
    ["a key that is none", [undefined]],
    ["a key without a list", NEW],
  ])("%s is refused, and no secret is shown", async (_, signing) => {
    const world = createStoreWorld();
    const create = async (): Promise<unknown> =>
      tokensOf(world, { signing: signing as readonly SigningKey[] });
    const error = (await errorOf(create())) as Error & { code: string };
    expect(error).toBeInstanceOf(TypeError);
    expect(error.code).toBe("optionInvalid");
    const shown = `${error.stack} ${JSON.stringify(error)}`;
    expect(shown).not.toContain(short);
    expect(shown).not.toContain("65,65");
  });
});

describe("the end of a token is judged on the store's clock", () => {
  test.each([-3_600_000, -TOKEN_MS, 0, TOKEN_MS, 3_600_000])(
    "whatever the consumer's clock says (%i ms off)",
    async (skewMs) => {
      const world = createStoreWorld();
      const runtime = createSkewedRuntime(world.runtime, skewMs);
      const consumer = tokensOf(world, { runtime });
      const [early, late] = [await tokensOf(world).issue("a"), await tokensOf(world).issue("a")];
      await world.runtime.advance(TOKEN_MS - 1);
      expect(await consumer.consume(early, "a")).toMatchObject({ outcome: "consumed" });
      await world.runtime.advance(1);
      expect(await consumer.consume(late, "a")).toEqual({ outcome: "expired" });
    },
  );

  test("and a request that was told consumed is told expired afterwards", async () => {
    const world = createStoreWorld();
    const token = await tokensOf(world).issue("a");
    await tokensOf(world).consume(token, "a", { requestId: "r1" });
    await world.runtime.advance(TOKEN_MS);
    expect(await tokensOf(world).consume(token, "a", { requestId: "r1" })).toEqual({
      outcome: "expired",
    });
  });

  test("and a clock that steps back within the tombstone time gives it to nobody else", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world, { retentionMs: TOKEN_MS });
    const token = await tokens.issue("a");
    await tokens.consume(token, "a", { requestId: "r1" });
    await world.runtime.advance(TOKEN_MS + TOMBSTONE_MS - 1_000);
    world.faulty.clock.jumpBy(-TOMBSTONE_MS + 1);
    expect(await tokens.consume(token, "a", { requestId: "r2" })).toEqual({ outcome: "used" });
  });
});

describe("the record outlives the token by the tombstone time", () => {
  test("at one call where the clocks agree", async () => {
    const { world, keys } = notedWorld();
    const token = await tokensOf(world).issue("a");
    await tokensOf(world, { retentionMs: TOKEN_MS }).consume(token, "a");
    expect(keys).toHaveLength(1);
    expect(await recordLeftMs(world, keys)).toBeGreaterThanOrEqual(TOKEN_MS + TOMBSTONE_MS);
  });

  test("or is extended, at one call more", async () => {
    const { world, keys } = notedWorld();
    const far = farAhead(world);
    const token = await far.issue("a");
    const ask = (requestId: string): Promise<unknown> => far.consume(token, "a", { requestId });
    expect(await ask("r1")).toEqual({ outcome: "consumed", replayed: false });
    expect(keys).toHaveLength(2);
    const neededMs = AHEAD_MS + TOKEN_MS + TOMBSTONE_MS;
    expect(await recordLeftMs(world, keys)).toBeGreaterThanOrEqual(neededMs);
    await world.runtime.advance(AHEAD_MS);
    expect(await ask("r2")).toEqual({ outcome: "used" });
    expect(await ask("r1")).toEqual({ outcome: "consumed", replayed: true });
    expect(keys).toHaveLength(4);
  });

  test("also by a second ask, when the first crashed between its two calls", async () => {
    const { world, keys } = notedWorld();
    const crashing = farAhead(world, () => new Promise(() => {}));
    const token = await crashing.issue("a");
    void crashing.consume(token, "a", { requestId: "r1" });
    await world.runtime.advance(1_000);
    keys.length = 0;
    expect(await farAhead(world).consume(token, "a", { requestId: "r1" })).toEqual({
      outcome: "consumed",
      replayed: true,
    });
    expect(keys).toHaveLength(2);
  });

  test("an extension that cannot be sent is tried again, since the token is consumed", async () => {
    const { world, keys } = notedWorld();
    let refusals = 2;
    const far = farAhead(world, async () => {
      refusals -= 1;
      world.faulty.inject(...(refusals < 0 ? [] : [{ fault: "unavailable" as const }]));
    });
    const token = await far.issue("a");
    expect(await world.run(far.consume(token, "a"))).toMatchObject({ outcome: "consumed" });
    expect(keys).toHaveLength(4);
  });

  test("an extension that never arrives is indeterminate, not unavailable", async () => {
    const { world } = notedWorld();
    const cut = farAhead(world, async () => world.faulty.inject({ fault: "unavailable" }));
    const token = await cut.issue("a");
    const ask = (tokens: Tokens, requestId: string): Promise<unknown> =>
      world.run(tokens.consume(token, "a", { requestId }));
    expect(await ask(cut, "r1")).toMatchObject({ outcome: "indeterminate" });
    expect(await ask(farAhead(world), "r2")).toEqual({ outcome: "used" });
    expect(await ask(farAhead(world), "r1")).toMatchObject({ outcome: "consumed" });
  });

  test("a record that ended untold is used by nobody", async () => {
    const { world } = notedWorld();
    const crashing = farAhead(world, () => new Promise(() => {}));
    const token = await crashing.issue("a");
    void crashing.consume(token, "a", { requestId: "r1" });
    await world.runtime.advance(TOKEN_MS + 2 * TOMBSTONE_MS);
    for (const requestId of ["r1", "r2"]) {
      expect(await farAhead(world).consume(token, "a", { requestId })).toMatchObject({
        outcome: "indeterminate",
      });
    }
    await world.runtime.advance(1);
    expect(await farAhead(world).consume(token, "a", { requestId: "r1" })).toEqual({
      outcome: "consumed",
      replayed: false,
    });
  });

  // The record ended during the pause, and another has been told consumed since.
  test("one who pauses past the record before extending it is not told consumed", async () => {
    const { world } = notedWorld();
    const other = farAhead(world);
    const token = await other.issue("a");
    const second = (): Promise<unknown> => other.consume(token, "a", { requestId: "r2" });
    let meanwhile: unknown;
    const paused = farAhead(world, async () => {
      await world.runtime.sleep(TOKEN_MS + 2 * TOMBSTONE_MS + 1);
      meanwhile = await second();
    });
    const late = await world.run(paused.consume(token, "a", { requestId: "r1" }));
    expect(meanwhile).toEqual({ outcome: "consumed", replayed: false });
    expect(late.outcome).toBe("indeterminate");
    expect(await second()).toEqual({ outcome: "consumed", replayed: true });
  });
});

test("a closed store is told as such, not as an answer", async () => {
  const world = createStoreWorld();
  const tokens = tokensOf(world);
  const token = await tokens.issue("a");
  await world.base.store.close();
  expect(await codeOf(tokens.consume(token, "a"))).toBe("closed");
});
