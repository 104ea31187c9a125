// The configurations that a search has met, and the table that tells which need no second look.
//
// A configuration is what has been placed so far and the state that this led to. One that has used
// up more of the unknown operations than another, and is like it in all else, can do nothing that
// the other can't: it is dominated, and dropped.

import { mix } from "./plain-data.js";
import { Scratch } from "./scratch.js";

/** The fields of a record, before the mask of slots and the set of unknown operations. */
export const FIRST = 0;
export const STATE = 1;
export const TRAIL = 2;
export const MASK = 3;

/** An arena of records of equal length, and a hash table over them. */
export class Configurations {
  readonly stride: number;
  length = 0;
  /** Where a record's set of unknown operations begins. */
  readonly unknownAt: number;
  readonly #records: Scratch;
  /** Ids + 1, at the place that their hash gives or behind it; 0 where there is none. */
  #table: Scratch;

  constructor(slotCount: number, unknown: number) {
    this.unknownAt = MASK + ((slotCount + 31) >> 5);
    this.stride = this.unknownAt + ((unknown + 31) >> 5);
    this.#records = new Scratch(16 * this.stride);
    this.#table = new Scratch(32);
  }

  get data(): Int32Array {
    return this.#records.data;
  }

  /** Writes a copy of a record behind the last one, where it can be changed and then kept. */
  draft(id: number): number {
    const base = this.length * this.stride;
    if (base + this.stride > this.#records.size) {
      this.#records.grow(2 * this.#records.size);
    }
    const { data } = this;
    const from = id * this.stride;
    for (let index = 0; index < this.stride; index += 1) {
      data[base + index] = data[from + index] as number;
    }
    return base;
  }

  /** Keeps the draft and returns its id, or returns -1 if a record that is kept dominates it. */
  keep(): number {
    const id = this.length;
    const { data, size } = this.#table;
    let at = this.#hash(id) & (size - 1);
    for (let other = data[at] as number; other !== 0; other = data[at] as number) {
      if (this.#dominates(other - 1, id)) {
        return -1;
      }
      at = (at + 1) & (size - 1);
    }
    data[at] = id + 1;
    this.length = id + 1;
    if (2 * this.length > size) {
      this.#grow();
    }
    return id;
  }

  /** Gives the memory back, after which nothing here may be used. */
  release(): void {
    this.#records.release();
    this.#table.release();
  }

  #hash(id: number): number {
    const { data } = this;
    const base = id * this.stride;
    let hash = Math.imul(data[base + FIRST] as number, 0x9e3779b1) ^ (data[base + STATE] as number);
    for (let index = base + MASK; index < base + this.unknownAt; index += 1) {
      hash = Math.imul(hash, 0x85ebca6b) ^ (data[index] as number);
    }
    return mix(hash);
  }

  #dominates(left: number, right: number): boolean {
    const { data } = this;
    const a = left * this.stride;
    const b = right * this.stride;
    if (data[a + FIRST] !== data[b + FIRST] || data[a + STATE] !== data[b + STATE]) {
      return false;
    }
    for (let index = MASK; index < this.unknownAt; index += 1) {
      if (data[a + index] !== data[b + index]) {
        return false;
      }
    }
    for (let index = this.unknownAt; index < this.stride; index += 1) {
      if (((data[a + index] as number) & ~(data[b + index] as number)) !== 0) {
        return false;
      }
    }
    return true;
  }

  #grow(): void {
    const table = new Scratch(2 * this.#table.size);
    for (let id = 0; id < this.length; id += 1) {
      let at = this.#hash(id) & (table.size - 1);
      while (table.data[at] !== 0) {
        at = (at + 1) & (table.size - 1);
      }
      table.data[at] = id + 1;
    }
    this.#table.release();
    this.#table = table;
  }
}
