// A business table as a service sees one: each call is a round trip, rows are copies, and nothing
// makes two calls one step. This is where check-then-act goes wrong.

import { setTimeout as sleep } from "node:timers/promises";
import type { Books } from "./books.js";

const ROUND_TRIP_MS = 1;

export class Table<Row> {
  readonly #books: Books;
  readonly #name: string;

  constructor(books: Books, name: string) {
    this.#books = books;
    this.#name = name;
  }

  async get(id: string): Promise<Row | undefined> {
    await sleep(ROUND_TRIP_MS);
    return this.#books.get(this.#name, id) as Row | undefined;
  }

  async put(id: string, row: Row): Promise<Row> {
    await sleep(ROUND_TRIP_MS);
    this.#books.put(this.#name, id, row);
    return row;
  }

  /** Puts unless a newer token was here before; looking and putting are one step. */
  async putFenced(id: string, row: Row, token: number): Promise<Row> {
    await sleep(ROUND_TRIP_MS);
    if (!this.#books.putFenced(this.#name, id, row, token)) {
      throw new Error(`row ${id} has seen a newer token`);
    }
    return row;
  }

  get size(): number {
    return this.#books.size(this.#name);
  }
}
