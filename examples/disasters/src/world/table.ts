// A business table as a service sees one: each call is a round trip, rows are copies, and nothing
// makes two calls one step. This is where check-then-act goes wrong.

import { setTimeout as sleep } from "node:timers/promises";

const ROUND_TRIP_MS = 1;

export class Table<Row> {
  readonly #rows = new Map<string, Row>();

  constructor(rows: Readonly<Record<string, Row>> = {}) {
    this.#rows = new Map(Object.entries(structuredClone(rows)));
  }

  async get(id: string): Promise<Row | undefined> {
    await sleep(ROUND_TRIP_MS);
    return structuredClone(this.#rows.get(id));
  }

  async put(id: string, row: Row): Promise<Row> {
    await sleep(ROUND_TRIP_MS);
    this.#rows.set(id, structuredClone(row));
    return row;
  }

  get size(): number {
    return this.#rows.size;
  }
}
