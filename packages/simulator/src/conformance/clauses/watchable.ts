// WatchableStore: wake-ups, on which no correctness rests. A store may lose one, so the kit asks
// only that some come.

import { check } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import type { Lab } from "../lab.js";

const ATTEMPTS = 5;
const PATIENCE_MS = 1_000;

async function settlesWithin(lab: Lab, promise: Promise<void>, ms: number): Promise<boolean> {
  let cancel = (): void => {};
  const late = new Promise<boolean>((resolve) => {
    cancel = lab.runtime.setTimer(() => resolve(false), ms);
  });
  const settled = await Promise.race([promise.then(() => true), late]);
  cancel();
  return settled;
}

/** Fails unless one of a few watches wakes after `change`. */
async function wakes(lab: Lab, change: (attempt: number) => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const controller = new AbortController();
    const watch = lab.watchable.watch("k", controller.signal);
    // Some stores subscribe over a connection: give that a moment before the change.
    await settlesWithin(lab, watch, 20);
    await change(attempt);
    const woken = await settlesWithin(lab, watch, PATIENCE_MS);
    controller.abort();
    await watch;
    if (woken) {
      return;
    }
  }
  check(false, `none of ${ATTEMPTS} watches woke within ${PATIENCE_MS} ms of a change`);
}

export const watchable: readonly CaseDefinition[] = [
  {
    id: "watchable.1-write",
    law: "a watch wakes when another client writes the key",
    needs: ["watch"],
    async run(lab) {
      let { stamp } = await lab.seed("k");
      await wakes(lab, async (attempt) => {
        const next = { value: String(attempt), ttlMs: "never" } as const;
        const write = lab.stampedWrite("k", stamp, next);
        const result = await lab.peer.write(write);
        check(result.outcome === "applied", "the write must be applied", result);
        stamp = { revision: result.revision, opId: write.opId };
      });
    },
  },
  {
    id: "watchable.2-removal",
    law: "a watch wakes when the key is removed",
    needs: ["watch"],
    async run(lab) {
      await wakes(lab, async () => {
        const { stamp } = await lab.seed("k");
        await lab.remove("k", stamp);
      });
    },
  },
  {
    id: "watchable.3-abort",
    law: "a watch settles when its signal aborts, and at once if it had aborted before",
    needs: ["watch"],
    async run(lab) {
      const controller = new AbortController();
      const watch = lab.watchable.watch("k", controller.signal);
      controller.abort(new Error("enough"));
      await lab.settles(watch, "an aborted watch");
      await lab.settles(lab.watchable.watch("k", controller.signal), "a watch aborted before");
    },
  },
  {
    id: "watchable.4-many",
    law: "a thousand watches of one key settle with their signals and leave it usable",
    needs: ["watch"],
    async run(lab) {
      const controllers = [...Array(1_000).keys()].map(() => new AbortController());
      const watches = controllers.map(({ signal }) => lab.watchable.watch("k", signal));
      for (const controller of controllers) {
        controller.abort();
      }
      await lab.settles(Promise.all(watches), "aborted watches");
      await lab.seed("k");
    },
  },
  {
    id: "watchable.5-close",
    law: "a watch never rejects, not even when the store closes under it",
    needs: ["watch"],
    async run(lab) {
      const controller = new AbortController();
      const watch = lab.watchable.watch("k", controller.signal);
      await lab.store.close();
      controller.abort();
      await lab.settles(watch, "a watch of a closed store");
    },
  },
];
