// The way between clients and their store: decides which faults strike a call, and carries
// requests and replies with the delays and losses that follow.

import { type StoreCapabilities, StoreError } from "@onceproof/core/advanced";
import {
  DEFAULT_RATES,
  drawFaults,
  type Fault,
  type FaultExtents,
  type FaultRates,
  NO_FAULTS,
  type PlannedFault,
  type Route,
  routeOf,
} from "./faults.js";
import type { FaultyStoreOptions } from "./faulty-store-options.js";
import { createRandom } from "./random.js";

export class FaultyNetwork {
  readonly capabilities: StoreCapabilities;
  readonly struck: PlannedFault[] = [];
  calls = 0;
  inFlight = 0;
  readonly #options: FaultyStoreOptions;
  readonly #extents: FaultExtents;
  readonly #seed: number;
  readonly #latencyUs: number;
  #rates: FaultRates;
  #plan: readonly PlannedFault[];
  #injected: readonly Fault[] = [];
  #watches = 0;
  readonly #onIdle: (() => void)[] = [];

  constructor(inner: StoreCapabilities, options: FaultyStoreOptions) {
    const operationTimeoutMs = options.operationTimeoutMs ?? inner.operationTimeoutMs;
    this.capabilities = { ...inner, operationTimeoutMs };
    this.#options = options;
    this.#seed = options.seed ?? 1;
    this.#latencyUs = Math.ceil((options.latencyMs ?? 1) * 1000);
    this.#extents = {
      operationTimeoutMs: Math.ceil(operationTimeoutMs),
      maxDelayMs: Math.ceil(options.maxDelayMs ?? 1.5 * operationTimeoutMs),
      maxLateMs: Math.ceil(options.maxLateMs ?? 20 * operationTimeoutMs),
      maxClockOffsetMs: Math.floor(options.maxClockOffsetMs ?? 0.4 * inner.tombstoneMs),
    };
    const drawn = { ...DEFAULT_RATES, ...options.rates };
    this.#rates = options.plan === undefined ? drawn : NO_FAULTS;
    this.#plan = options.plan ?? [];
  }

  inject(faults: readonly Fault[]): void {
    this.#injected = [...this.#injected, ...faults];
  }

  heal(): void {
    this.#rates = NO_FAULTS;
    this.#plan = [];
    this.#injected = [];
  }

  /** Decides what happens to the next call, and lets the store's clock jump if it is to. */
  route(): Route {
    this.calls += 1;
    const call = this.calls;
    // A stream per call: what one call draws never shifts the faults of another.
    const random = createRandom(this.#seed, call);
    const latency = [this.#drawLatencyMs(random.int), this.#drawLatencyMs(random.int)] as const;
    const faults = [
      ...this.#plan.filter((planned) => planned.call === call),
      ...this.#injected,
      ...drawFaults(random, this.#rates, this.#extents),
    ].filter(({ fault }) => fault !== "clockOffset" || this.#options.clock !== undefined);
    this.#injected = [];
    this.struck.push(...faults.map((fault) => ({ ...fault, call })));
    const route = routeOf(faults, latency);
    if (route.clockOffsetMs !== undefined) {
      this.#options.clock?.setOffset(route.clockOffsetMs);
    }
    return route;
  }

  /** Whether the next watch is to miss its wake-up. */
  losesWakeUp(): boolean {
    this.#watches += 1;
    return createRandom(this.#seed, -this.#watches).chance(this.#rates.lostWakeUp);
  }

  /** Carries one call; `unanswered` makes the answer when none has come in time. */
  send<T>(deliver: () => Promise<T>, unanswered: (cause: Error) => T): Promise<T> {
    const route = this.route();
    const { requestMs, replyMs } = route;
    if (route.refused) {
      return Promise.reject(new StoreError("unavailable", "the connection was refused"));
    }
    for (const afterMs of route.duplicatesMs) {
      this.#carry(afterMs, () => deliver().catch(() => {}));
    }
    return new Promise<T>((resolve, reject) => {
      const giveUp = this.#expectAnswer(unanswered, resolve, reject);
      if (requestMs === "lost") {
        return;
      }
      this.#carry(requestMs, async () => {
        const answer = await settle(deliver);
        if (replyMs !== "lost") {
          this.after(replyMs, () => {
            giveUp();
            if (answer.ok) {
              resolve(answer.value);
            } else {
              reject(answer.error);
            }
          });
        }
      });
    });
  }

  /** Calls back after the delay; at once, without a timer, if there is none. */
  after(delayMs: number, callback: () => void): void {
    if (delayMs > 0) {
      this.#options.runtime.setTimer(callback, delayMs);
    } else {
      callback();
    }
  }

  /** What a caller that got no answer is told. */
  noAnswer(): Error {
    return new Error(`no answer within ${this.capabilities.operationTimeoutMs} ms`);
  }

  #expectAnswer<T>(
    unanswered: (cause: Error) => T,
    resolve: (value: T) => void,
    reject: (reason: unknown) => void,
  ): () => void {
    return this.#options.runtime.setTimer(() => {
      try {
        resolve(unanswered(this.noAnswer()));
      } catch (error) {
        reject(error);
      }
    }, this.capabilities.operationTimeoutMs);
  }

  /** Calls back when no request is on its way. */
  whenIdle(callback: () => void): void {
    if (this.inFlight === 0) {
      callback();
    } else {
      this.#onIdle.push(callback);
    }
  }

  #carry(afterMs: number, deliver: () => Promise<unknown>): void {
    this.inFlight += 1;
    this.after(afterMs, () => {
      void deliver().finally(() => {
        this.inFlight -= 1;
        if (this.inFlight === 0) {
          for (const callback of this.#onIdle.splice(0)) {
            callback();
          }
        }
      });
    });
  }

  #drawLatencyMs(int: (least: number, most: number) => number): number {
    return int(0, this.#latencyUs) / 1000;
  }
}

type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; error: unknown };

async function settle<T>(deliver: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await deliver() };
  } catch (error) {
    return { ok: false, error };
  }
}
