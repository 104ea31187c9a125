// Numbers for states, the same for equal ones, so that the search compares whole numbers only.

import type { Model } from "./model.js";
import { hashData, sameData } from "./plain-data.js";

// Below this a look at each is quicker than a map.
const FEW = 8;

const MINUS_ZERO = Symbol("-0");

/** What a map takes for a value: it would hold -0 and 0 for one. */
const keyOf = (value: unknown): unknown => (Object.is(value, -0) ? MINUS_ZERO : value);

/** The states that one search has met. */
export class States<State> {
  readonly list: State[] = [];
  readonly #equals: (left: State, right: State) => boolean;
  readonly #hash: (state: State) => number;
  readonly #primitivesByIdentity: boolean;
  #byIdentity: Map<unknown, number> | undefined;
  #byHash: Map<number, number[]> | undefined;

  constructor(model: Model<State, unknown, unknown>) {
    this.#equals = model.equals?.bind(model) ?? sameData;
    this.#hash = model.hash?.bind(model) ?? hashData;
    this.#primitivesByIdentity = model.equals === undefined;
  }

  /** The number of a state. */
  intern(state: State): number {
    const known = this.#find(state);
    if (known !== undefined) {
      return known;
    }
    const byEquality = (typeof state === "object" && state !== null) || !this.#primitivesByIdentity;
    const equal = byEquality ? this.#bucket(state) : undefined;
    if (equal !== undefined) {
      for (const id of equal) {
        if (this.#equals(this.list[id] as State, state)) {
          return id;
        }
      }
    }
    const id = this.list.length;
    this.list.push(state);
    this.#byIdentity?.set(keyOf(state), id);
    equal?.push(id);
    return id;
  }

  #find(state: State): number | undefined {
    const { list } = this;
    if (this.#byIdentity !== undefined) {
      return this.#byIdentity.get(keyOf(state));
    }
    for (let id = 0; id < list.length; id += 1) {
      if (Object.is(list[id], state)) {
        return id;
      }
    }
    if (list.length === FEW) {
      this.#byIdentity = new Map(list.map((each, id) => [keyOf(each), id]));
    }
    return undefined;
  }

  #bucket(state: State): number[] {
    this.#byHash ??= new Map();
    const hash = this.#hash(state);
    const found = this.#byHash.get(hash);
    if (found !== undefined) {
      return found;
    }
    const bucket: number[] = [];
    this.#byHash.set(hash, bucket);
    return bucket;
  }
}
