// Which links are cut, and until when: each direction by itself.

/** The cuts of a world. */
export class Cuts {
  readonly #untilUs = new Map<string, number>();

  /** Whether any link was cut since the world healed last. */
  get any(): boolean {
    return this.#untilUs.size > 0;
  }

  /** Cuts requests from one to the other, their replies, or both. */
  cut(from: string, to: string, legs: "requests" | "replies" | "both", untilUs: number): void {
    if (legs !== "replies") {
      this.#lengthen(`${from} ${to}`, untilUs);
    }
    if (legs !== "requests") {
      this.#lengthen(`${to} ${from}`, untilUs);
    }
  }

  /** Whether what is sent in this direction at this time is lost. */
  isCut(from: string, to: string, nowUs: number): boolean {
    return this.any && (this.#untilUs.get(`${from} ${to}`) ?? 0) > nowUs;
  }

  /** Mends every link. */
  clear(): void {
    this.#untilUs.clear();
  }

  #lengthen(direction: string, untilUs: number): void {
    this.#untilUs.set(direction, Math.max(untilUs, this.#untilUs.get(direction) ?? 0));
  }
}
