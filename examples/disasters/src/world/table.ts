// A business table as a service sees one: each call is a round trip, rows are copies, and nothing
// makes two calls one step. This is where check-then-act goes wrong.

import { setTimeout as sleep } from "node:timers/promises";

const ROUND_TRIP_MS = 1;

export class Table<Row> {
  readonly #rows = new Map<string, Row>();
  readonly #tokens = new Map<string, number>();

  async get(id: string): Promise<Row | undefined> {
    await sleep(ROUND_TRIP_MS);
    return structuredClone(this.#rows.get(id));
  }

  async put(id: string, row: Row): Promise<Row> {
    await sleep(ROUND_TRIP_MS);
    this.#rows.set(id, structuredClone(row));
    return row;
  }

  /** Puts unless a newer token was here before; looking and putting are one step. */
  async putFenced(id: string, row: Row, token: number): Promise<Row> {
    await sleep(ROUND_TRIP_MS);
    if (token < (this.#tokens.get(id) ?? 0)) {
      throw new Error(`row ${id} has seen a newer token`);
    }
    this.#tokens.set(id, token);
    this.#rows.set(id, structuredClone(row));
    return row;
  }

  get size(): number {
    return this.#rows.size;
  }
}
