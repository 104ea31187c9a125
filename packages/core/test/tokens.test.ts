// What holds of stored and of signed tokens alike.

import { createTokens, type Tokens, type TokensOptions } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { codeOf, createStoreWorld, type StoreWorld, withWrite } from "./support/store-world.ts";

const TOKEN_MS = 300_000;
const RETENTION_MS = 86_400_000;
const SIGNING = [{ kid: "k1", secret: "a secret of at least 32 characters" }];

const KINDS = [
  { kind: "stored", options: {}, issueCalls: 1 },
  { kind: "signed", options: { signing: SIGNING }, issueCalls: 0 },
] as const;

describe.each(KINDS)("$kind tokens", ({ kind, options, issueCalls }) => {
  const tokensOf = ({ base }: StoreWorld, more: Partial<TokensOptions> = {}): Tokens =>
    createTokens({ ...base, ...options, ...more });

  describe("what they cost", () => {
    test(`issuing costs ${issueCalls}, consuming 1, and so does asking again`, async () => {
      const world = createStoreWorld();
      const tokens = tokensOf(world);
      const issued = await world.counter.during(() => tokens.issue("alice"));
      expect(issued.calls.total).toBe(issueCalls);
      const token = issued.result;
      for (const requestId of ["r1", "r1", "r2"]) {
        const { calls } = await world.counter.during(() =>
          tokens.consume(token, "alice", { requestId }),
        );
        expect(calls).toMatchObject({ write: 1, total: 1 });
      }
    });

    test.each([
      "",
      "x",
      "a.b",
      "a.b.c.d",
      "..",
      `${"A".repeat(22)}.0`,
      "A".repeat(100_000),
      "\ud800",
    ])("a malformed one costs nothing (%#)", async (malformed) => {
      const world = createStoreWorld();
      const { result, calls } = await world.counter.during(() =>
        tokensOf(world).consume(malformed, "alice"),
      );
      expect(result).toEqual({ outcome: "invalid" });
      expect(calls.total).toBe(0);
    });
  });

  describe("are consumed once", () => {
    test("by one of 50 at once", async () => {
      const world = createStoreWorld();
      const tokens = tokensOf(world);
      const token = await tokens.issue("alice");
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          tokens.consume(token, "alice", { requestId: `r${index}` }),
        ),
      );
      const outcomes = answers.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "consumed")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "used")).toHaveLength(49);
    });

    test("by one call of several that name no request", async () => {
      const world = createStoreWorld();
      const tokens = tokensOf(world);
      const token = await tokens.issue("alice");
      expect(await tokens.consume(token, "alice")).toEqual({
        outcome: "consumed",
        replayed: false,
      });
      expect(await tokens.consume(token, "alice")).toEqual({ outcome: "used" });
    });

    test("and the same request is told so again, as a replay", async () => {
      const world = createStoreWorld();
      const tokens = tokensOf(world);
      const token = await tokens.issue("alice");
      const ask = (): Promise<unknown> => tokens.consume(token, "alice", { requestId: "r1" });
      expect(await ask()).toEqual({ outcome: "consumed", replayed: false });
      expect(await ask()).toEqual({ outcome: "consumed", replayed: true });
      await world.runtime.advance(TOKEN_MS - 1);
      expect(await ask()).toEqual({ outcome: "consumed", replayed: true });
      const other = await tokens.consume(token, "alice", { requestId: "r2" });
      expect(other).toEqual({ outcome: "used" });
    });

    test("and a lost reply is no replay: the first answer that arrives is the first", async () => {
      const world = createStoreWorld([{ call: issueCalls + 1, fault: "dropReply" }]);
      const tokens = tokensOf(world);
      const token = await tokens.issue("alice");
      const answer = await world.run(tokens.consume(token, "alice", { requestId: "r1" }));
      expect(answer).toEqual({ outcome: "consumed", replayed: false });
    });

    test("and neither is a request that the network doubles", async () => {
      const call = issueCalls + 1;
      const world = createStoreWorld([
        { call, fault: "duplicate", afterMs: 0 },
        { call, fault: "delay", requestMs: 50, replyMs: 0 },
      ]);
      const tokens = tokensOf(world);
      const token = await tokens.issue("alice");
      const answer = await world.run(tokens.consume(token, "alice", { requestId: "r1" }));
      expect(answer).toEqual({ outcome: "consumed", replayed: false });
    });

    test("and when no answer comes it is indeterminate, and the same request may ask again", async () => {
      const world = createStoreWorld();
      const tokens = tokensOf(world, { settleMs: 3_000 });
      const token = await tokens.issue("alice");
      const ask = (requestId: string): Promise<unknown> =>
        world.run(tokens.consume(token, "alice", { requestId }));
      const asking = tokens.consume(token, "alice", { requestId: "r1" });
      for (let ms = 0; ms < 6_000; ms += 10) {
        world.faulty.inject({ fault: "dropReply" });
        await world.runtime.advance(10);
      }
      world.faulty.heal();
      expect(await asking).toMatchObject({ outcome: "indeterminate" });
      expect(await ask("r2")).toEqual({ outcome: "used" });
      expect(await ask("r1")).toMatchObject({ outcome: "consumed" });
    });

    test("and a store that certainly did nothing is unavailable, which burns nothing", async () => {
      const world = createStoreWorld([{ call: issueCalls + 1, fault: "unavailable" }]);
      const tokens = tokensOf(world);
      const token = await tokens.issue("alice");
      expect(await codeOf(tokens.consume(token, "alice", { requestId: "r1" }))).toBe("unavailable");
      expect(await tokens.consume(token, "alice", { requestId: "r2" })).toMatchObject({
        outcome: "consumed",
      });
    });
  });

  describe("that are not valid are one answer and burn nothing", () => {
    const asks: [string, (world: StoreWorld, token: string) => Promise<unknown>][] = [
      ["for another subject", (world, token) => tokensOf(world).consume(token, "bob")],
      ["for a subject in other case", (world, token) => tokensOf(world).consume(token, "Alice")],
      [
        "under another name",
        (world, token) => tokensOf(world, { name: "other" }).consume(token, "alice"),
      ],
      ...[0, 1, 2, 3].map(
        (field): [string, (world: StoreWorld, token: string) => Promise<unknown>] => [
          `with field ${field} changed`,
          (world, token) => tokensOf(world).consume(changed(token, field), "alice"),
        ],
      ),
      ["with a field more", (world, token) => tokensOf(world).consume(`${token}.x`, "alice")],
      ["with a space", (world, token) => tokensOf(world).consume(`${token} `, "alice")],
      ["with a line more", (world, token) => tokensOf(world).consume(`${token}\n`, "alice")],
    ];

    test.each(asks)("%s", async (_, ask) => {
      const world = createStoreWorld();
      const tokens = tokensOf(world);
      const token = await tokens.issue("alice");
      const { result, calls } = await world.counter.during(() => ask(world, token));
      expect(result).toEqual({ outcome: "invalid" });
      expect(calls.total).toBeLessThanOrEqual(kind === "signed" ? 0 : 1);
      expect(await tokens.consume(token, "alice")).toEqual({
        outcome: "consumed",
        replayed: false,
      });
    });

    test.each([0, 1, 2, 3])(
      "with field %i changed, also beside the consumption of the same request",
      async (field) => {
        const world = createStoreWorld();
        const tokens = tokensOf(world);
        const token = await tokens.issue("alice");
        const call = { requestId: "r1" };
        await tokens.consume(token, "alice", call);
        expect(await tokens.consume(changed(token, field), "alice", call)).toEqual({
          outcome: "invalid",
        });
      },
    );
  });

  describe("are unguessable", () => {
    test("ids have 128 bits and never repeat", async () => {
      const world = createStoreWorld();
      const tokens = tokensOf(world);
      const ids = new Set<string>();
      for (let count = 0; count < 1_000; count += 1) {
        const fields = (await tokens.issue("alice")).split(".");
        const id = fields[kind === "stored" ? 0 : 1]!;
        expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/);
        ids.add(id);
      }
      expect(ids.size).toBe(1_000);
    });

    test("neither token, subject nor secret stands in a store key, an event or an error", async () => {
      const world = createStoreWorld();
      const seen: unknown[] = [];
      const spied = withWrite(world.base, async (write, send) => {
        seen.push(write.key);
        return send(write);
      });
      const tokens = createTokens({ ...spied, ...options });
      const subject = "alice@example.org";
      const token = await tokens.issue(subject);
      await tokens.consume(token, subject, { requestId: "r1" });
      await tokens.consume(token, subject, { requestId: "r2" });
      await tokens.consume(token, "mallory@example.org");
      await tokens.consume(changed(token, 1), subject);
      await world.base.store.close();
      seen.push(
        String(await tokens.consume(token, subject).catch((error: Error) => error.stack)),
        ...world.events,
      );
      const text = JSON.stringify(seen);
      expect(world.events.length).toBeGreaterThan(4);
      for (const secret of [...token.split("."), subject, "mallory", SIGNING[0]!.secret]) {
        if (secret.length > 6) {
          expect(text).not.toContain(secret);
        }
      }
    });

    test("events tell of each answer", async () => {
      const world = createStoreWorld();
      const tokens = tokensOf(world);
      const token = await tokens.issue("alice");
      await tokens.consume(token, "alice", { requestId: "r1" });
      await tokens.consume(token, "alice", { requestId: "r1" });
      await tokens.consume(token, "alice", { requestId: "r2" });
      await tokens.consume(token, "bob");
      expect(world.told()).toEqual(["issued", "consumed", "replayed", "refused", "refused"]);
      expect(world.events.slice(3)).toMatchObject([{ reason: "used" }, { reason: "invalid" }]);
    });
  });

  test("end with their time, on the store's clock", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const [early, late] = [await tokens.issue("alice"), await tokens.issue("alice")];
    await world.runtime.advance(TOKEN_MS - 1);
    expect(await tokens.consume(early, "alice")).toMatchObject({ outcome: "consumed" });
    await world.runtime.advance(1);
    expect(await tokens.consume(late, "alice")).toEqual({
      outcome: kind === "signed" ? "expired" : "invalid",
    });
    await world.runtime.advance(2 * RETENTION_MS);
    expect(await tokens.consume(early, "alice")).toEqual({
      outcome: kind === "signed" ? "expired" : "invalid",
    });
  });
});

/** The token with one character of a field changed into another of the same kind. */
function changed(token: string, field: number): string {
  const fields = token.split(".");
  const at = field % fields.length;
  const text = fields[at]!;
  const first = text[0] === "1" ? "2" : "1";
  fields[at] = text.length > 1 || text[0] !== first ? `${first}${text.slice(1)}` : "2";
  return fields.join(".");
}
