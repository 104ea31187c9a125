// A store of one's own for `--store`: its table forgets every row that a transaction added.
import { createMemoryStore } from "@onceproof/core";
import type { OwnWorld } from "../../../src/cli/own-store.ts";
import { serveStore } from "../../../src/world/served-store.ts";

export const world: OwnWorld = {
  database: ({ runtime, tombstoneMs }) =>
    serveStore(
      createMemoryStore({ runtime, tombstoneMs }),
      () => {},
      () => ({ charges: [] }),
    ),
};
