// The seven algorithms under races, on any stores of one set of data: what each promises must hold
// though many callers, over clients of several kinds, ask at once and ask again.
import { setTimeout as sleep } from "node:timers/promises";
import {
  createFence,
  createRegister,
  createStateMachine,
  createTokens,
  createUniqueInsert,
} from "@onceproof/core";
import type { RedisStore } from "@onceproof/redis-adapter";
import { newOpId, raceDedup, raceLock } from "@onceproof/test-servers";
import { expect, test } from "vitest";

const CALLERS = 24;
const PAUSE_MS = 20;

interface Race {
  /** Clients of one set of data. */
  open(): Promise<readonly RedisStore[]>;
  /** Makes what passes get lost, until lifted. @defaultValue nothing gets lost */
  readonly disturb?: () => () => void;
}

/** As a user's own client does: asks again while nobody can tell. */
async function patiently<T extends object>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      const answer = await call();
      const { outcome } = answer as { outcome?: unknown };
      if (outcome !== "indeterminate" && outcome !== "contended") return answer;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code !== "unavailable" && code !== "contended") throw error;
    }
    await sleep(PAUSE_MS);
  }
}

/** Registers a test for each algorithm. */
export function registerAlgorithmRaces({ open, disturb = () => () => {} }: Race): void {
  const settleMs = 1000;

  /** Lets every caller act at once, each through one of the clients. */
  async function race<Client, T extends object>(
    clientOf: (store: RedisStore) => Client,
    act: (client: Client, caller: number) => Promise<T>,
  ): Promise<T[]> {
    const clients = (await open()).map(clientOf);
    const lift = disturb();
    try {
      return await Promise.all(
        Array.from({ length: CALLERS }, (_, caller) =>
          patiently(() => act(clients[caller % clients.length] as Client, caller)),
        ),
      );
    } finally {
      lift();
    }
  }

  test("dedup: one runs, and all get its result", async () => {
    const stores = await open();
    const lift = disturb();
    const result = await raceDedup(stores, { key: newOpId(), callers: CALLERS, workMs: 20 });
    lift();
    expect(result.effects).toBe(1);
    expect(result.values).toEqual(Array(CALLERS).fill(result.values[0]));
  });

  test("lock: holders never overlap, and their tokens increase", async () => {
    const stores = await open();
    const lift = disturb();
    const contest = { resource: newOpId(), contenders: 12, workMs: 2, leaseMs: 1500 };
    const { tokens, overlaps } = await raceLock(stores, contest);
    lift();
    expect(overlaps).toBe(0);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  });

  test("fence: the tokens admitted never decrease", async () => {
    const resource = newOpId();
    const admitted: number[] = [];
    await race(
      (store) => createFence({ store, name: "race", settleMs }),
      async (fence, caller) => {
        const token = ((caller * 7) % CALLERS) + 1;
        const answer = await fence.admit(resource, token);
        if (answer.outcome === "admitted") admitted.push(token);
        return answer;
      },
    );
    const [store] = await open();
    if (store === undefined) throw new Error("there are clients");
    const after = createFence({ store, name: "race" });
    expect(await after.admit(resource, CALLERS - 1)).toMatchObject({ outcome: "stale" });
    expect(await after.admit(resource, CALLERS)).toMatchObject({ outcome: "admitted" });
    expect(admitted).toContain(CALLERS);
  });

  test("tokens: one request consumes, and is told so again", async () => {
    const [first] = await open();
    if (first === undefined) throw new Error("there are clients");
    const issued = await createTokens({ store: first, name: "race", onCrash: "park" }).issue("s");
    const requests = ["a", "b", "c"];
    const answers = await race(
      (store) => createTokens({ store, name: "race", onCrash: "park", settleMs }),
      (tokens, caller) =>
        tokens.consume(issued, "s", { requestId: requests[caller % requests.length] ?? "" }),
    );
    const winners = new Set(
      answers.flatMap(({ outcome }, caller) =>
        outcome === "consumed" ? [requests[caller % requests.length]] : [],
      ),
    );
    expect(winners.size).toBe(1);
    expect(answers.filter(({ outcome }) => outcome === "consumed")).toHaveLength(CALLERS / 3);
    expect(answers.filter(({ outcome }) => outcome === "used")).toHaveLength((CALLERS / 3) * 2);
  });

  test("state machine: one request moves the entity, and is answered so again", async () => {
    const id = newOpId();
    const definition = {
      initial: "open",
      events: { pay: { from: ["open"], to: "paid" } },
    } as const;
    const orders = (store: RedisStore) =>
      createStateMachine({ store, name: "race", definition, settleMs });
    const [first] = await open();
    if (first === undefined) throw new Error("there are clients");
    await orders(first).create(id, { requestId: "create" });
    const answers = await race(orders, (machine, caller) =>
      machine.fire(id, "pay", { requestId: `r${caller % 3}` }),
    );
    const moved = answers.flatMap(({ outcome }, caller) =>
      outcome === "moved" ? [caller % 3] : [],
    );
    expect(new Set(moved).size).toBe(1);
    expect(moved).toHaveLength(CALLERS / 3);
    expect((await orders(first).get(id))?.state).toBe("paid");
  });

  test("register: each request counts once", async () => {
    const key = newOpId();
    const stock = (store: RedisStore) =>
      createRegister<number>({ store, name: "race", settleMs, maxRounds: 50 });
    const answers = await race(stock, (register, caller) =>
      register.update(key, `r${caller % 8}`, (value = 0) => value + 1),
    );
    expect(answers.every(({ outcome }) => outcome === "updated")).toBe(true);
    const [first] = await open();
    if (first === undefined) throw new Error("there are clients");
    expect((await stock(first).get(key)).value).toBe(8);
  });

  test("unique insert: one value under all its keys, or under none", async () => {
    const id = newOpId();
    // One tag for all keys, as a cluster needs; elsewhere it changes nothing.
    const accounts = (store: RedisStore) =>
      createUniqueInsert<number>({ store, name: "{race}", settleMs });
    const keysOf = (user: number) => ({ email: `${id} ${user}`, phone: `${id} ${user >> 1}` });
    const answers = await race(accounts, (insert, caller) => {
      const user = caller % 4;
      return insert.insert({ keys: keysOf(user), value: user, requestId: `${id} ${user}` });
    });
    // Users 0 and 1 share a phone, as 2 and 3 do: of each pair one is in, with both keys.
    const inside = new Set(
      answers.flatMap(({ outcome }, caller) =>
        outcome === "created" || outcome === "replayed" ? [caller % 4] : [],
      ),
    );
    expect([...inside].map((user) => user >> 1).sort()).toEqual([0, 1]);
    const [first] = await open();
    if (first === undefined) throw new Error("there are clients");
    for (const user of [0, 1, 2, 3]) {
      const { email, phone } = keysOf(user);
      const [byEmail, byPhone] = await Promise.all(
        [{ email }, { phone }].map((key) => accounts(first).get(key)),
      );
      expect(byEmail?.value).toBe(inside.has(user) ? user : undefined);
      if (inside.has(user)) expect(byPhone?.value).toBe(user);
    }
  });
}
