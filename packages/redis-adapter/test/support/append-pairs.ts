// A workload of writeAll: many workers append to two lists in one step. Whatever fails, the lists must
// be the same, and hold once what a worker was told of as applied.
import { setTimeout as sleep } from "node:timers/promises";
import type { MultiKeyStore, WriteAllResult, WriteWithoutOpId } from "@onceproof/core/advanced";
import { newOpId } from "@onceproof/test-servers";

const RESENDS = 40;
const PAUSE_MS = 10;
const KEYS = ["left", "right"] as const;

async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if ((error as { code?: unknown }).code !== "unavailable") throw error;
      await sleep(PAUSE_MS);
    }
  }
}

async function send(
  store: MultiKeyStore,
  opId: string,
  writes: WriteWithoutOpId[],
): Promise<WriteAllResult["outcome"]> {
  let doubtful = false;
  for (let attempt = 0; attempt < RESENDS; attempt += 1) {
    const { outcome } = await patiently(() => store.writeAll({ opId, writes }));
    if (outcome === "applied") return outcome;
    if (outcome === "refused") return doubtful ? "unknown" : outcome;
    doubtful = true;
  }
  return "unknown";
}

/** Appends `each` times from every store; resolves with the opIds told of as applied and as refused. */
export async function appendPairs(
  stores: readonly MultiKeyStore[],
  each: number,
): Promise<{ applied: string[]; refused: string[] }> {
  const applied: string[] = [];
  const refused: string[] = [];
  await Promise.all(
    stores.map(async (store) => {
      for (let done = 0; done < each; ) {
        const seen = await Promise.all(KEYS.map((key) => patiently(() => store.read(key))));
        const opId = newOpId();
        const writes = KEYS.map((key, index): WriteWithoutOpId => {
          const { entry, revision = 0 } = seen[index] ?? {};
          const next = { value: `${entry?.value ?? ""} ${opId}`, ttlMs: "never" } as const;
          return entry === undefined
            ? { key, expect: { absentSince: revision }, next }
            : { key, expect: entry.stamp, next };
        });
        const outcome = await send(store, opId, writes);
        if (outcome !== "refused") done += 1;
        if (outcome === "applied") applied.push(opId);
        if (outcome === "refused") refused.push(opId);
      }
    }),
  );
  return { applied, refused };
}

/** What is wrong with the lists; an empty answer means that all is well. */
export async function judgePairs(
  store: MultiKeyStore,
  { applied, refused }: { applied: readonly string[]; refused: readonly string[] },
): Promise<string[]> {
  const [left, right] = await Promise.all(KEYS.map((key) => store.read(key)));
  const list = (left?.entry?.value ?? "").trim().split(" ");
  const held = new Set(list);
  return [
    ...(left?.entry?.value === right?.entry?.value ? [] : ["the lists differ"]),
    ...(held.size === list.length ? [] : ["an opId was applied twice"]),
    ...applied.filter((opId) => !held.has(opId)).map((opId) => `${opId} was told of and is lost`),
    ...refused.filter((opId) => held.has(opId)).map((opId) => `${opId} was refused and applied`),
  ];
}
