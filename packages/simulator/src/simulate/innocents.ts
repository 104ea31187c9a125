// Which faults show nothing by themselves, and so may be the second of a plan of two. A plan whose
// second fault is guilty alone would tell nothing new.

import type { Menus } from "../explore/plans.js";
import type { CallAt, FaultAt, WorldFault } from "../world/fault-plan.js";

export class Innocents {
  readonly #menus: Menus;
  /** The guilty faults of a call. */
  readonly #guilty = new Map<string, Set<string>>();
  /** What is left of a call's menu. */
  readonly #left = new Map<string, readonly WorldFault[]>();
  /** The calls that follow in the run of a first fault. */
  readonly #later = new Map<FaultAt, readonly CallAt[]>();

  constructor(menus: Menus) {
    this.#menus = menus;
  }

  blame(fault: FaultAt): void {
    const call = nameOf(fault);
    const guilty = this.#guilty.get(call) ?? new Set();
    this.#guilty.set(call, guilty.add(kindOf(fault)));
  }

  /** Nothing went wrong with this fault alone, in a run that made these calls. */
  clear(fault: FaultAt, calls: readonly CallAt[]): void {
    const at = calls.findIndex((call) => nameOf(call) === nameOf(fault));
    this.#later.set(fault, at === -1 ? [] : calls.slice(at + 1));
  }

  /** How many second faults go with a first one. */
  countSeconds(first: FaultAt): number {
    const later = this.#later.get(first) ?? [];
    return later.reduce((sum, call) => sum + this.#of(call).length, this.#atSameCall(first).length);
  }

  /** Second faults at the same call, each combination once, and at later calls; those taken alone. */
  *seconds(first: FaultAt, takes: () => boolean): Generator<FaultAt> {
    const { from, to, nth } = first;
    for (const fault of this.#atSameCall(first)) {
      if (takes()) {
        yield { from, to, nth, ...fault };
      }
    }
    for (const call of this.#later.get(first) ?? []) {
      for (const fault of this.#of(call)) {
        if (takes()) {
          yield { ...call, ...fault };
        }
      }
    }
  }

  #atSameCall(first: FaultAt): readonly WorldFault[] {
    const menu = this.#of(first);
    const at = menu.findIndex((fault) => kindOf(fault) === kindOf(first));
    return menu.slice(at + 1).filter(({ fault }) => fault !== first.fault);
  }

  /** Asked only when all plans of one fault are tried. */
  #of(call: CallAt): readonly WorldFault[] {
    const name = nameOf(call);
    let left = this.#left.get(name);
    if (left === undefined) {
      const guilty = this.#guilty.get(name);
      left = this.#menus.of(call).filter((fault) => !guilty?.has(kindOf(fault)));
      this.#left.set(name, left);
    }
    return left;
  }
}

function nameOf({ from, to, nth }: CallAt): string {
  return `${from} ${to} ${nth}`;
}

/** A fault without the call that it strikes. */
function kindOf(fault: WorldFault): string {
  return JSON.stringify({ ...fault, from: undefined, to: undefined, nth: undefined });
}
