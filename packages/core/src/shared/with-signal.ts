// What an owner is given while its lease runs bears the lease's signal. An accessor in a literal
// would give each such object a hidden class of its own, which costs more than all the rest of it.

/** An own property as in a literal, so that a copy of the object bears the signal too. */
export class WithSignal {
  declare readonly signal: AbortSignal;
  readonly #signal: () => AbortSignal;

  constructor(signal: () => AbortSignal) {
    this.#signal = signal;
    Object.defineProperty(this, "signal", SIGNAL);
  }

  static signalOf(bearer: WithSignal): AbortSignal {
    return bearer.#signal();
  }
}

const SIGNAL: PropertyDescriptor & ThisType<WithSignal> = {
  enumerable: true,
  get() {
    return WithSignal.signalOf(this);
  },
};
