// Loads the store's scripts into the server, so that a test that loses one reply loses the one of
// the write and not the server's answer that it does not know the script.
import { randomUUID } from "node:crypto";
import type { AtomicStore, Stamp } from "@onceproof/core/advanced";

export function opId(): string {
  return Buffer.from(randomUUID().replaceAll("-", ""), "hex").toString("base64url");
}

/** Runs each kind of write once. */
export async function warmUp(store: AtomicStore): Promise<void> {
  const key = `warm-up ${opId()}`;
  const next = { value: "warm", ttlMs: 60_000 } as const;
  let stamp: Stamp | undefined;
  for (const [expect, then] of [
    ["absent", next],
    [undefined, next],
    [undefined, { value: "kept", ttlMs: "keep" }],
    [undefined, { touch: true, ttlMs: 60_000 }],
    [undefined, "removed"],
  ] as const) {
    const id = opId();
    const result = await store.write(
      expect === "absent"
        ? { key, opId: id, expect, next: then }
        : { key, opId: id, expect: stamp as Stamp, next: then },
    );
    if (result.outcome !== "applied") {
      throw new Error(`the warm-up was ${result.outcome}`);
    }
    stamp = { revision: result.revision, opId: id };
  }
  await store.read(key);
}
