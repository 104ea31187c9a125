// The same random operations on each database and on the memory store: what they answer is the same,
// whatever the keys hold, with clocks that jump together beyond every time to live.
import { PGlite } from "@electric-sql/pglite";
import { createMemoryStore, createRegister } from "@onceproof/core";
import { type MultiKeyStore, type Stamp, systemRuntime } from "@onceproof/core/advanced";
import {
  createMysqlStore,
  createPostgresStore,
  createSqliteStore,
  migrate,
  type SqlTransactions,
} from "@onceproof/sql-adapter";
import {
  missing,
  newOpId,
  type ServerName,
  startMariadb,
  startPostgres,
} from "@onceproof/test-servers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openMariadb, openMysql2 } from "./support/mysql-pools.js";
import { openPool } from "./support/pg-pools.js";
import { onlySqlite, openDatabase } from "./support/sqlite-driver.js";
import { movableClock, newFile } from "./support/sqlite-files.js";

const RUNS = 25;
const HOUR_MS = 3_600_000;
/** Keys that databases like to take for one another, to cut or to refuse. */
const KEYS = ["a", "A", "a ", "ä", "a\u0308", "😀", "n\0ul", "n\0", "k".repeat(10_000)] as const;
// Enough for no run to outlive it unless the clock jumps.
const TTLS = [HOUR_MS / 2, HOUR_MS / 2 + 0.0004, "never"] as const;
const VALUES = ["", "x", "😀\0'\\", "v".repeat(300)] as const;

const key = fc.nat(KEYS.length - 1);
const ttl = fc.constantFrom(...TTLS);
const value = fc.constantFrom(...VALUES);
const expected = fc.oneof(
  fc.record({ absent: fc.constantFrom("absent", "since", "sinceOlder", "sinceZero") }),
  fc.record({ stamp: fc.constantFrom("latest", "latest", "latest", "older", "other") }),
);
const next = fc.oneof(
  { weight: 3, arbitrary: fc.record({ value, ttl }) },
  fc.record({ value, ttl: fc.constant("keep" as const) }),
  fc.record({ touch: fc.constant(true as const), ttl }),
  fc.constant("removed" as const),
);
/** Which opId a write bears: a fresh one, or one that was used before. */
const again = fc.option(fc.nat(5), { freq: 4 });
const single = fc.record({ key, expected, next });
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ write: single, again }) },
  {
    weight: 2,
    arbitrary: fc.record({
      all: fc.uniqueArray(single, { minLength: 1, maxLength: 4, selector: (each) => each.key }),
      again,
    }),
  },
  { weight: 1, arbitrary: fc.record({ read: key }) },
  { weight: 1, arbitrary: fc.constant({ jump: true as const }) },
);
type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Step = Drawn<typeof step>;
type Single = Drawn<typeof single>;

type Store = MultiKeyStore & SqlTransactions<unknown>;

interface Place {
  store(): Store;
  /** Moves its clock, and tells by how much: one that cannot does not. */
  jump(): number;
  stop(): Promise<unknown>;
}

interface Arm {
  readonly name: string;
  readonly server?: ServerName;
  start(): Promise<Place>;
}

/** One store, as it is driven: stamps are its own, everything else is as its twin's. */
class Driven {
  readonly store: MultiKeyStore;
  readonly prefix: string;
  readonly stamps = new Map<number, Stamp[]>();

  constructor(store: MultiKeyStore, prefix: string) {
    this.store = store;
    this.prefix = prefix;
  }

  #write({ key: at, expected: expect, next: wanted }: Single) {
    const seen = this.stamps.get(at) ?? [];
    const latest = seen.at(-1) ?? { revision: 1, opId: "N".repeat(22) };
    const named = `${KEYS[at]}${this.prefix}`;
    if ("absent" in expect) {
      const since = { absent: 0, since: latest.revision, sinceOlder: latest.revision - 1 };
      const absent =
        expect.absent === "absent"
          ? "absent"
          : { absentSince: since[expect.absent as keyof typeof since] ?? 0 };
      const made =
        wanted === "removed" || "touch" in wanted ? { value: "m", ttl: TTLS[0] } : wanted;
      const ttlMs = made.ttl === "keep" ? "never" : made.ttl;
      return { key: named, expect: absent, next: { value: made.value, ttlMs } } as const;
    }
    const older = seen.at(-2) ?? { ...latest, revision: Math.max(1, latest.revision - 1) };
    const other = { ...latest, opId: "O".repeat(22) };
    const stamp = { latest, older, other }[expect.stamp as "latest"];
    if (wanted === "removed") return { key: named, expect: stamp, next: wanted } as const;
    const { ttl: ttlMs, ...rest } = wanted;
    return { key: named, expect: stamp, next: { ...rest, ttlMs } } as never;
  }

  #keep(at: number, stamp: Stamp): void {
    if (stamp.revision !== 0) this.stamps.set(at, [...(this.stamps.get(at) ?? []), stamp]);
  }

  /** What a step answers, without what two stores need not agree upon: times and revisions. */
  async run(each: Step, opId: string): Promise<unknown> {
    if ("jump" in each) return undefined;
    if ("read" in each) return this.#told(each.read, await this.store.read(this.#key(each.read)));
    if ("write" in each) {
      const result = await this.store.write({ ...this.#write(each.write), opId });
      if (result.outcome === "unknown") throw result.cause;
      const { outcome } = result;
      if (outcome === "refused") return { outcome, ...this.#told(each.write.key, result) };
      const { revision, replayed, expiresAt, writtenAt } = result;
      if (!replayed) this.#keep(each.write.key, { revision, opId });
      const livesUs = expiresAt === undefined ? "never" : !replayed && expiresAt - writtenAt;
      const kept = each.write.next !== "removed" && each.write.next.ttl === "keep";
      return { outcome, replayed, livesUs: kept ? expiresAt !== undefined : livesUs };
    }
    const writes = each.all.map((write) => this.#write(write));
    const result = await this.store.writeAll({ opId, writes });
    if (result.outcome === "unknown") throw result.cause;
    const { outcome } = result;
    if (outcome === "refused") {
      const { index } = result;
      return { outcome, index, ...this.#told(each.all[index]?.key ?? 0, result) };
    }
    const { revisions, replayed } = result;
    if (!replayed) {
      for (const [index, revision] of revisions.entries()) {
        this.#keep(each.all[index]?.key ?? 0, { revision, opId });
      }
    }
    return { outcome, replayed, forgotten: revisions.map((revision) => revision === 0) };
  }

  #key(at: number): string {
    return `${KEYS[at]}${this.prefix}`;
  }

  #told(at: number, seen: { revision?: number; entry?: { value: string; stamp: Stamp } }) {
    const { entry, revision } = seen;
    const seenStamps = (this.stamps.get(at) ?? []).map((stamp) => stamp.revision);
    return {
      value: entry?.value,
      opId: entry?.stamp.opId,
      stampIs: entry && seenStamps.indexOf(entry.stamp.revision),
      revisionIs: revision === undefined ? undefined : seenStamps.indexOf(revision),
    };
  }
}

function jumped(jump: () => void): number {
  jump();
  return HOUR_MS;
}

const sqliteArm: Arm = {
  name: "a SQLite file",
  async start() {
    const { file, remove } = newFile();
    const { runtime, move } = movableClock();
    const database = openDatabase(file);
    await migrate(database);
    return {
      store: () => createSqliteStore({ database, runtime }) as Store,
      jump: () => jumped(() => move(HOUR_MS)),
      stop: async () => [database.close(), remove()],
    };
  },
};

const allArms: readonly Arm[] = [
  {
    name: "Postgres",
    server: "postgres",
    async start() {
      const server = await startPostgres({ clock: true });
      const client = openPool(server, { max: 2 });
      await migrate(client);
      return {
        store: () => createPostgresStore({ client }) as Store,
        jump: () => jumped(() => server.jumpClock(HOUR_MS)),
        stop: () => client.end().then(() => server.stop()),
      };
    },
  },
  ...[openMysql2, openMariadb].map(
    (open): Arm => ({
      name: `MariaDB with ${open === openMysql2 ? "mysql2" : "mariadb"}`,
      server: "mariadb",
      async start() {
        const server = await startMariadb({ clock: true });
        const { client, end } = open(server, { max: 2 });
        await migrate(client);
        return {
          store: () => createMysqlStore({ client }) as Store,
          jump: () => jumped(() => server.jumpClock(HOUR_MS)),
          stop: () => end().then(() => server.stop()),
        };
      },
    }),
  ),
  sqliteArm,
  {
    name: "PGlite",
    async start() {
      const client = await PGlite.create();
      await migrate(client);
      return {
        store: () => createPostgresStore({ client }) as Store,
        jump: () => 0,
        stop: () => client.close(),
      };
    },
  },
];

const arms = onlySqlite ? [sqliteArm] : allArms;

/** The same store, each of whose steps is one of a transaction. */
function inTransactions(store: Store): MultiKeyStore {
  const step = <T>(work: (bound: MultiKeyStore) => Promise<T>): Promise<T> =>
    store.transaction((tx) => work(store.bind(tx)));
  return {
    ...store,
    read: (key) => step((bound) => bound.read(key)),
    write: (write) => step((bound) => bound.write(write)),
    writeAll: (all) => step((bound) => bound.writeAll(all)),
  };
}

const ways = {
  "in steps of its own": (store: Store): MultiKeyStore => store,
  "in transactions": inTransactions,
} as const;

for (const { name, server, start } of arms) {
  const absent = server && (missing(server) ?? missing("clock-shim"));
  describe.skipIf(absent)(`${name} answers as the memory store does`, () => {
    let place: Place;
    let runs = 0;
    beforeAll(async () => {
      place = await start();
    });
    afterAll(() => place.stop());

    test.each(Object.entries(ways))("%s, to any operations", { timeout: 60_000 }, (_, way) => {
      const steps = fc.array(step, { minLength: 10, maxLength: 40 });
      const property = fc.asyncProperty(steps, async (all) => {
        runs += 1;
        let offsetMs = 0;
        const runtime = { ...systemRuntime, wallNow: () => systemRuntime.wallNow() + offsetMs };
        const model = new Driven(createMemoryStore({ runtime }), "");
        const tried = new Driven(way(place.store()), ` ${runs}`);
        const used: string[] = [];
        for (const each of all) {
          if ("jump" in each) {
            offsetMs += place.jump();
            continue;
          }
          const before =
            "again" in each && each.again !== null ? used.at(-1 - each.again) : undefined;
          const opId = before ?? newOpId();
          used.push(opId);
          const wanted = await model.run(each, opId);
          expect(await tried.run(each, opId), JSON.stringify(each)).toEqual(wanted);
        }
      });
      return fc.assert(property, { numRuns: RUNS });
    });

    test.each(Object.entries(ways))(
      "%s: a request that is asked again after the retention counts as new, though nobody swept",
      async (_, way) => {
        const options = { name: newOpId(), retentionMs: 1_000 };
        const counter = createRegister<number>({ store: way(place.store()), ...options });
        const ask = () => counter.update("k", "r", (count = 0) => count + 1);
        expect(await ask()).toMatchObject({ outcome: "updated", value: 1, replayed: false });
        expect(await ask()).toMatchObject({ outcome: "updated", value: 1, replayed: true });
        if (place.jump() === 0) return;
        expect(await ask()).toMatchObject({ outcome: "updated", value: 2, replayed: false });
        expect(await ask()).toMatchObject({ outcome: "updated", value: 2, replayed: true });
      },
    );
  });
}
