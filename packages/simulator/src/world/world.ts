// A world: nodes with clocks of their own, a store, sinks, and a network between them, in one
// thread and in virtual time. Same options, same run.

import {
  ArgumentError,
  type AtomicStore,
  type MultiKeyStore,
  type Runtime,
  type StoreCapabilities,
  type WatchableStore,
} from "@onceproof/core/advanced";
import { Guard } from "../guard/guard.js";
import { type Hop, tickHop } from "../runtime.js";
import { TimerQueue } from "../timers.js";
import { SimulationError } from "../virtual-runtime.js";
import { type ChoiceSource, mix, seededChoices } from "./choices.js";
import type { FaultAt, FaultPlan } from "./fault-plan.js";
import { Network } from "./network.js";
import { Party } from "./party.js";
import type { StoreProfile } from "./profile.js";
import { Recorder } from "./recorder.js";
import { createStoreClient, STORE } from "./store-client.js";
import { StoreServer, type StoreSteps } from "./store-server.js";
import type { Ask, TraceEvent } from "./trace.js";

/** Options of `createWorld`. */
export interface WorldOptions {
  /** Determines latencies, clocks and random bytes. @defaultValue 1 */
  readonly seed?: number;
  readonly profile: StoreProfile;
  /** What goes wrong. @defaultValue nothing */
  readonly plan?: FaultPlan;
  /** Decides how long each message takes. @defaultValue the choices of the seed */
  readonly choices?: ChoiceSource;
  /** Travel times to choose from, each way, in ms. @defaultValue 0.3 to 1.7 in eight steps */
  readonly latenciesMs?: readonly number[];
  /** @defaultValue 200 */
  readonly operationTimeoutMs?: number;
  /** @defaultValue 10_000 */
  readonly tombstoneMs?: number;
  /** How far the nodes' wall clocks may differ from true time, in ms. @defaultValue 60_000 */
  readonly maxSkewMs?: number;
  /** How much the nodes' clocks may run fast or slow. @defaultValue 0.0005 */
  readonly maxDrift?: number;
  /** How pending microtasks are let run. @defaultValue `tickHop` */
  readonly hop?: Hop;
  /** Lets microtasks run after every event, though it ran no code of a node. @defaultValue false */
  readonly hopAlways?: boolean;
  /**
   * Stops code that touches real time or randomness while a run lasts: `run` rejects with a
   * NondeterminismError that names the place, even if the code swallowed it. @defaultValue false
   */
  readonly guard?: boolean;
  /** After so many events the run counts as stuck. @defaultValue 200_000 */
  readonly maxEvents?: number;
  /** The store's steps, for broken variants. @defaultValue those of core */
  readonly steps?: StoreSteps;
}

/** A node as its program sees it, for one life. */
export interface Node {
  readonly name: string;
  readonly life: number;
  readonly runtime: Runtime;
  readonly store: AtomicStore & Partial<MultiKeyStore & WatchableStore>;
  /** Settles after so much of the node's own time. */
  sleep(delayMs: number): Promise<void>;
  /**
   * Calls a sink: `act` runs there, in one step, when the request arrives; once per copy of it.
   * Rejects with `SinkError` when no answer came in time: it may have happened.
   */
  call<T>(sink: string, what: string, act: () => T): Promise<T>;
}

/** A sink gave no answer, or refused the connection. */
export class SinkError extends Error {
  override readonly name = "SinkError";
  readonly code: "noAnswer" | "refused";

  constructor(code: "noAnswer" | "refused", message: string) {
    super(message);
    this.code = code;
  }
}

const WAKE_UP_US = 500;
const START_US = 1_800_000_000_000_000;

export class World {
  readonly trace: TraceEvent[] = [];
  readonly recorder: Recorder;
  readonly server: StoreServer;
  readonly #options: WorldOptions;
  readonly #seed: number;
  readonly #timers = new TimerQueue();
  readonly #network: Network;
  readonly #parties = new Map<string, Party>();
  readonly #programs = new Map<string, (node: Node) => void>();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #guard: Guard | undefined;
  #elapsedUs = 0;
  #stirred = false;
  #running = false;
  #failure: { readonly error: unknown } | undefined;
  /** How many events were carried out. */
  events = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#seed = options.seed ?? 1;
    this.#guard = options.guard ? new Guard() : undefined;
    const { latenciesMs = [0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7] } = options;
    this.recorder = new Recorder(this.trace, () => this.#elapsedUs);
    this.server = new StoreServer({
      elapsedUs: () => this.#elapsedUs,
      startUs: START_US,
      tombstoneUs: (options.tombstoneMs ?? 10_000) * 1000,
      ...(options.steps !== undefined && { steps: options.steps }),
      onChange: (key) => this.#wake(key),
    });
    this.#network = new Network(
      {
        elapsedUs: () => this.#elapsedUs,
        at: (delayUs, callback) => this.#at(delayUs, callback),
        note: (event) => this.trace.push(event),
        choices: options.choices ?? seededChoices(this.#seed),
        latenciesUs: latenciesMs.map((ms) => Math.round(ms * 1000)),
        crash: (party, forMs) => this.#crash(party, forMs),
        stop: (party, state, forMs) => this.#stop(party, state, forMs),
        strikeStore: (fault, ask) => this.#strikeStore(fault, ask),
      },
      options.plan ?? [],
    );
  }

  /** Virtual time since the start, in microseconds. */
  get elapsedUs(): number {
    return this.#elapsedUs;
  }

  /** The faults that struck so far. */
  get struck(): FaultPlan {
    return this.#network.struck;
  }

  /** How long the faults that struck go on, in milliseconds: pauses, cuts, messages under way. */
  get restlessMs(): number {
    return Math.max(0, this.#network.lastUs - this.#elapsedUs) / 1000;
  }

  /** How many calls each link carried, by `from to`. */
  get counts(): ReadonlyMap<string, number> {
    return this.#network.counts;
  }

  /** In which life each node is: 1 until its first crash, 0 while it is down. */
  get lives(): Readonly<Record<string, number>> {
    const lives: Record<string, number> = {};
    for (const { name, life, state } of this.#parties.values()) {
      lives[name] = state === "down" ? 0 : life;
    }
    return lives;
  }

  /** Adds a node. Its program starts now, and again after each crash, in a new life. */
  addNode(name: string, program: (node: Node) => void): void {
    if (name === STORE || this.#parties.has(name)) {
      throw new ArgumentError("optionInvalid", `a party called ${name} is there already`);
    }
    const index = this.#parties.size + 1;
    const draw = (site: number): number => (mix(this.#seed, index * 64 + site) / 2 ** 32) * 2 - 1;
    const { maxSkewMs = 60_000, maxDrift = 0.0005 } = this.#options;
    const startUs = START_US + Math.round(draw(1) * maxSkewMs) * 1000;
    const rate = 1 + draw(2) * maxDrift;
    const host = {
      timers: this.#timers,
      seed: this.#seed,
      elapsedUs: () => this.#elapsedUs,
      stir: () => {
        this.#stirred = true;
      },
    };
    const party = new Party(host, name, index, { startUs, rate });
    this.#parties.set(name, party);
    this.#programs.set(name, program);
    this.#boot(party);
  }

  /** Adds a client: a party that never fails, and has no store. */
  addClient(name: string): Client {
    let client: Client | undefined;
    this.addNode(name, (node) => {
      client = { name, sleep: node.sleep, party: this.#party(name) };
    });
    if (client === undefined) {
      throw new SimulationError("a client's program did not start");
    }
    return client;
  }

  /** Sends a client's request to a node; `serve` runs there. Undefined when no answer came. */
  request<T>(
    client: Client,
    to: string,
    what: string,
    timeoutMs: number,
    serve: () => Promise<T>,
  ): Promise<{ readonly answer: T } | undefined> {
    return new Promise((resolve) => {
      const target = this.#party(to);
      this.#network.send<T>({
        from: client.party,
        life: client.party.life,
        to,
        ask: { ask: "call", what },
        timeoutMs,
        deliver: (respond) => {
          // What a node that is down is sent is lost; a paused one serves it when it goes on.
          target.enter(target.state === "down" ? 0 : target.life, () => {
            const { life } = target;
            const failed = (error: unknown): void => {
              if (life === target.life) {
                this.#failure ??= { error };
              }
            };
            serve().then((answer) => {
              if (life === target.life) {
                respond(answer, "answered");
              }
            }, failed);
          });
        },
        answered: (answer) => resolve({ answer }),
        unanswered: () => resolve(undefined),
        refused: () => resolve(undefined),
      });
    });
  }

  /**
   * Lets time pass until the promise settles.
   *
   * Fails: SimulationError when nothing is left that could settle it, after `maxEvents`, or while
   * another `run` of this world lasts; NondeterminismError under `guard`; what the `serve` of a
   * request rejects with, as a service that does not catch its errors is a defect of the scenario.
   */
  async run<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const settle = (): void => {
      settled = true;
    };
    promise.then(settle, settle);
    if (this.#running) {
      throw new SimulationError("this world is being run already: await that run first");
    }
    const { hop = tickHop } = this.#options;
    const guard = this.#guard;
    this.#running = true;
    guard?.begin();
    try {
      await hop(guard?.disarm);
      guard?.report();
      while (!settled) {
        this.#carryOutNext();
        if (this.#stirred) {
          await hop(guard?.disarm);
        }
        guard?.disarm();
        guard?.report();
        if (this.#failure !== undefined) {
          throw this.#failure.error;
        }
      }
    } finally {
      guard?.end();
      this.#running = false;
    }
    return promise;
  }

  #carryOutNext(): void {
    const { hopAlways = false, maxEvents = 200_000 } = this.#options;
    const atUs = this.#timers.nextAtUs();
    if (atUs === undefined) {
      throw new SimulationError(
        `stuck at ${this.#elapsedUs / 1000} ms: something is awaited that nothing can settle`,
      );
    }
    if (this.events >= maxEvents) {
      throw new SimulationError(
        `no end after ${maxEvents} events, at ${this.#elapsedUs / 1000} ms of virtual time`,
      );
    }
    this.events += 1;
    this.#elapsedUs = Math.max(this.#elapsedUs, atUs);
    this.#stirred = hopAlways;
    this.#guard?.arm();
    this.#timers.take()?.();
  }

  /** Lets so much time pass. */
  async pass(forMs: number): Promise<void> {
    await this.run(new Promise<void>((resolve) => void this.#stirAt(forMs * 1000, resolve)));
  }

  /** Lifts every fault: nodes go on or start anew, links are mended. */
  heal(): void {
    this.#network.heal();
    this.server.serveFresh();
    for (const party of this.#parties.values()) {
      if (party.state === "down") {
        this.#restart(party);
      } else if (party.state !== "up") {
        this.#resume(party);
      }
    }
    this.recorder.healed();
  }

  #party(name: string): Party {
    const party = this.#parties.get(name);
    if (party === undefined) {
      throw new ArgumentError("optionInvalid", `there is no party called ${name}`);
    }
    return party;
  }

  #boot(party: Party): void {
    const { name, life } = party;
    this.#noteNode(party, "started");
    const runtime = party.runtime();
    const sleep = (delayMs: number): Promise<void> =>
      new Promise((resolve) => void runtime.setTimer(resolve, delayMs));
    this.#stirred = true;
    const node: Node = {
      name,
      life,
      runtime,
      sleep,
      store: createStoreClient({
        network: this.#network,
        server: this.server,
        party,
        capabilities: this.#capabilities(),
        multiKey: this.#options.profile.multiKey,
        ...(this.#options.profile.watch && {
          watch: (key: string, signal: AbortSignal) => this.#watch(party, life, key, signal),
        }),
      }),
      call: (sink, what, act) => this.#call(party, life, sink, what, act),
    };
    const start = (): void => this.#programs.get(name)?.(node);
    if (this.#guard === undefined || this.#running) {
      start();
    } else {
      this.#guard.aside(start);
    }
  }

  #capabilities(): StoreCapabilities {
    const { profile, operationTimeoutMs = 200, tombstoneMs = 10_000 } = this.#options;
    return {
      clock: "store",
      durability: profile.durability,
      failoverMayLoseWrites: profile.failoverMayLoseWrites,
      maxValueBytes: 2 ** 20,
      ttlGranularityMs: 0.001,
      tombstoneMs,
      operationTimeoutMs,
    };
  }

  #call<T>(party: Party, life: number, sink: string, what: string, act: () => T): Promise<T> {
    const { operationTimeoutMs = 200 } = this.#options;
    return new Promise<T>((resolve, reject) => {
      this.#network.send<{ readonly value: T } | { readonly error: unknown }>({
        from: party,
        life,
        to: sink,
        ask: { ask: "call", what },
        timeoutMs: operationTimeoutMs,
        deliver: (respond) => {
          try {
            respond({ value: act() }, "done");
          } catch (error) {
            respond({ error }, "refused");
          }
        },
        answered: (answer) => {
          if ("value" in answer) {
            resolve(answer.value);
          } else {
            reject(answer.error);
          }
        },
        unanswered: () => reject(new SinkError("noAnswer", `${sink} gave no answer in time`)),
        refused: () => reject(new SinkError("refused", `${sink} refused the connection`)),
      });
    });
  }

  #at(delayUs: number, callback: () => void): () => void {
    // Whole microseconds, whatever a plan's milliseconds are.
    return this.#timers.add(this.#elapsedUs + Math.round(delayUs), callback);
  }

  #stirAt(delayUs: number, callback: () => void): void {
    this.#at(delayUs, () => {
      this.#stirred = true;
      callback();
    });
  }

  #noteNode(
    party: Party,
    change: "started" | "crashed" | "paused" | "suspended" | "resumed",
  ): void {
    this.trace.push({ atUs: this.#elapsedUs, type: "node", node: party.name, change });
  }

  #crash(party: Party, forMs: number): void {
    party.crash();
    this.#noteNode(party, "crashed");
    const { life } = party;
    this.#at(forMs * 1000, () => {
      if (party.state === "down" && party.life === life) {
        this.#restart(party);
      }
    });
  }

  #restart(party: Party): void {
    party.state = "up";
    this.#boot(party);
  }

  #stop(party: Party, state: "paused" | "suspended", forMs: number): void {
    if (party.state !== "up") {
      return;
    }
    const stop = party.stop(state);
    this.#noteNode(party, state);
    this.#at(forMs * 1000, () => {
      if (party.stopped(stop)) {
        this.#resume(party);
      }
    });
  }

  #resume(party: Party): void {
    this.#noteNode(party, "resumed");
    party.resume();
  }

  #strikeStore(fault: FaultAt, ask: Ask): boolean {
    const note = (change: string): void => {
      this.trace.push({ atUs: this.#elapsedUs, type: "store", change });
    };
    switch (fault.fault) {
      case "jumpStoreClock":
        this.server.jumpClock(Math.round(fault.byMs * 1000));
        note(`its clock jumped by ${fault.byMs} ms`);
        return false;
      case "restartStore":
        note(`restarted, ${this.server.lose(fault.loses)} writes lost`);
        return fault.phase === "arrive";
      case "failover":
        note(`a replica took over, ${this.server.lose(fault.loses)} writes lost`);
        this.server.jumpClock(-Math.round(fault.lagMs * 1000));
        return fault.phase === "arrive";
      case "evict":
        this.server.evict(keysOf(ask));
        note("evicted what the request is about");
        return false;
      case "staleReads":
        this.server.serveStale(fault.forMs * 1000);
        note(`reads stand still for ${fault.forMs} ms`);
        return false;
      default:
        return false;
    }
  }

  #watch(party: Party, life: number, key: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const watchers = this.#watchers.get(key) ?? new Set();
      this.#watchers.set(key, watchers);
      const end = (): void => {
        signal.removeEventListener("abort", end);
        if (watchers.delete(end)) {
          party.enter(life, resolve);
        }
      };
      watchers.add(end);
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) {
        end();
      }
    });
  }

  /** Tells watchers of a key, a moment later. */
  #wake(key: string): void {
    const watchers = this.#watchers.get(key);
    if (watchers === undefined || watchers.size === 0) {
      return;
    }
    const woken = [...watchers];
    this.#at(WAKE_UP_US, () => {
      for (const end of woken) {
        end();
      }
    });
  }
}

/** A client: it asks nodes and never fails. */
export interface Client {
  readonly name: string;
  readonly party: Party;
  sleep(delayMs: number): Promise<void>;
}

function keysOf(ask: Ask): readonly string[] {
  switch (ask.ask) {
    case "read":
      return [ask.key];
    case "write":
      return [ask.write.key];
    case "writeAll":
      return ask.keys;
    case "call":
      return [];
  }
}

/** Creates a world. */
export function createWorld(options: WorldOptions): World {
  return new World(options);
}
