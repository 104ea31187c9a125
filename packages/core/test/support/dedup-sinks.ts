// Where the effects of handlers go. A naive sink takes whatever comes, so that it hides nothing; the
// other two are what the guarantee names: one dedups by child key, one checks a fencing token and
// answers for itself, raising its fence in the same step.

/** One effect that a sink accepted. */
export interface Effect {
  readonly key: string;
  readonly run: number;
}

export interface Act {
  readonly key: string;
  readonly run: number;
  readonly childKey: string;
  readonly fencingToken: number;
}

export interface Sink {
  /** Every effect that took place. */
  readonly effects: readonly Effect[];
  /** One atomic step at the sink; returns the receipt, throws when it refuses. */
  act(act: Act): Effect;
  /** Raises the fence and tells what took place, in one step. */
  ask(key: string, fencingToken: number): Effect | undefined;
}

export type SinkKind = "naive" | "childKey" | "fenced";

export function createSink(kind: SinkKind): Sink {
  const effects: Effect[] = [];
  const byChild = new Map<string, Effect>();
  const fences = new Map<string, number>();

  const raise = (key: string, token: number): void => {
    fences.set(key, Math.max(fences.get(key) ?? 0, token));
  };

  return {
    effects,
    act({ key, run, childKey, fencingToken }) {
      const known = kind === "childKey" ? byChild.get(childKey) : undefined;
      if (known !== undefined) {
        return known;
      }
      if (kind === "fenced") {
        if (fencingToken < (fences.get(key) ?? 0)) {
          throw new Error("an older token than one seen before");
        }
        raise(key, fencingToken);
      }
      const effect = { key, run };
      effects.push(effect);
      byChild.set(childKey, effect);
      return effect;
    },
    ask(key, fencingToken) {
      raise(key, fencingToken);
      return effects.find((effect) => effect.key === key);
    },
  };
}
