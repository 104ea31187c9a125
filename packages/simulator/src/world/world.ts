// A world: nodes with clocks of their own, a store, sinks, and a network between them, in one
// thread and in virtual time. Same options, same run.

import { ArgumentError, type Runtime, type StoreCapabilities } from "@onceproof/core/advanced";
import { Guard } from "../guard/guard.js";
import { createRandom } from "../random.js";
import { checkWorldOptions, type GivenWorldOptions } from "./check-options.js";
import { mix, seededChoices } from "./choices.js";
import { type Client, sendRequest } from "./client.js";
import { createDatabase } from "./database.js";
import { EventLoop } from "./event-loop.js";
import type { FaultPlan } from "./fault-plan.js";
import { Network } from "./network.js";
import { capabilitiesOf, createNode, type Node, type NodeHost, sleepBy } from "./node.js";
import { createOptimisticDatabase } from "./optimistic-database.js";
import { Party, type PartyHost } from "./party.js";
import { startProgram } from "./program.js";
import { Recorder } from "./recorder.js";
import type { ServedDatabase } from "./served-store.js";
import { Sessions } from "./sessions.js";
import type { StandingRows } from "./standing-rows.js";
import { STORE } from "./store-client.js";
import { strikeStore } from "./store-faults.js";
import { StoreServer } from "./store-server.js";
import type { TraceEvent } from "./trace.js";
import { Watchers } from "./watchers.js";
import type { WorldOptions } from "./world-options.js";

export type { Client } from "./client.js";
export { type Node, SinkError } from "./node.js";
export type { WorldOptions } from "./world-options.js";

const START_US = 1_800_000_000_000_000;

/** What a statement may wait for a lock, as a share of what its client waits for the answer. */
const LOCK_WAIT = 0.8;
/** A connection of a process that died is known to be lost after what it sent has arrived. */
const LOST_AFTER_US = 2_000;

const LATENCIES_MS: readonly number[] = [0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7];

export class World {
  readonly trace: TraceEvent[] = [];
  readonly recorder: Recorder;
  readonly server: StoreServer;
  readonly #options: WorldOptions;
  readonly #seed: number;
  readonly #loop: EventLoop;
  readonly #network: Network;
  readonly #sessions: Sessions | undefined;
  readonly #database: ServedDatabase | undefined;
  readonly #nodeHost: NodeHost;
  readonly #partyHost: PartyHost;
  readonly #parties = new Map<string, Party>();
  readonly #programs = new Map<string, (node: Node) => void>();
  readonly #guard: Guard | undefined;
  readonly #note: (event: TraceEvent) => void;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#seed = options.seed ?? 1;
    this.#guard = options.guard ? new Guard() : undefined;
    const { profile, trace = true, latenciesMs = LATENCIES_MS } = options;
    const { hop, hopAlways, maxEvents } = options;
    const loop = new EventLoop({ hop, hopAlways, maxEvents, guard: this.#guard });
    this.#loop = loop;
    const elapsedUs = (): number => loop.elapsedUs;
    this.#note = trace ? (event) => void this.trace.push(event) : () => {};
    this.recorder = new Recorder(this.#note, elapsedUs);
    const watchers = new Watchers((delayUs, callback) => void loop.at(delayUs, callback));
    this.server = new StoreServer({
      elapsedUs,
      startUs: START_US,
      tombstoneUs: (options.tombstoneMs ?? 10_000) * 1000,
      ...(options.steps !== undefined && { steps: options.steps }),
      onChange: (key) => watchers.wake(key),
    });
    const noteStore = (change: string): void =>
      this.#note({ atUs: loop.elapsedUs, type: "store", change });
    this.#network = new Network(
      {
        elapsedUs,
        at: (delayUs, callback) => loop.at(delayUs, callback),
        cancel: (timer) => loop.timers.cancel(timer),
        note: this.#note,
        choices: options.choices ?? seededChoices(this.#seed),
        latenciesUs: latenciesMs.map((ms) => Math.round(ms * 1000)),
        crash: (party, forMs) => this.#crash(party, forMs),
        stop: (party, state, forMs) => this.#stop(party, state, forMs),
        strikeStore: (fault, ask) =>
          strikeStore({ server: this.server, sessions: this.#sessions }, fault, ask, noteStore),
      },
      options.plan ?? [],
    );
    const capabilities = capabilitiesOf(options);
    const database = this.#makeDatabase(capabilities);
    this.#database = database;
    this.#sessions =
      database &&
      new Sessions({
        database,
        idleMs: options.idleInTransactionMs ?? 2_500,
        at: (delayUs, callback) => loop.at(delayUs, callback),
        cancel: (timer) => loop.timers.cancel(timer),
        stir: () => {
          loop.stirred = true;
        },
        note: noteStore,
        committed: ({ table, key, value, operation }, by) =>
          void this.recorder.effect({
            sink: table,
            key,
            by,
            accepted: true,
            value,
            ...(operation !== undefined && { operation }),
          }),
      });
    this.#nodeHost = {
      sessions: this.#sessions,
      database,
      network: this.#network,
      server: this.server,
      watchers,
      capabilities,
      multiKey: profile.multiKey,
      // The world knows of no change in a database.
      watch: profile.watch && database === undefined,
    };
    this.#partyHost = {
      timers: loop.timers,
      seed: this.#seed,
      elapsedUs,
      stir: () => {
        loop.stirred = true;
      },
    };
  }

  #makeDatabase(capabilities: StoreCapabilities): ServedDatabase | undefined {
    const { profile, database } = this.#options;
    if (profile.transactions === "none" && database === undefined) {
      return undefined;
    }
    const loop = this.#loop;
    const { server } = this;
    const random = createRandom(mix(this.#seed, 0x5704e));
    const runtime: Runtime = {
      wallNow: () => server.now() / 1000,
      monotonicNow: () => loop.elapsedUs / 1000,
      setTimer: (callback, delayMs) => {
        const timer = loop.at(delayMs * 1000, () => {
          loop.stirred = true;
          callback();
        });
        return () => loop.timers.cancel(timer);
      },
      randomBytes: (length) => random.bytes(length),
    };
    const { tombstoneMs, operationTimeoutMs } = capabilities;
    const host = { runtime, server, tombstoneMs, lockWaitMs: LOCK_WAIT * operationTimeoutMs };
    const byProfile =
      profile.transactions === "locking" ? createDatabase : createOptimisticDatabase;
    const made = (database ?? byProfile)(host);
    if (profile.multiKey && made.writeAll === undefined) {
      const what =
        "a database without writeAll needs a profile without it: single-key, transactional";
      throw new ArgumentError("optionInvalid", what);
    }
    const stirring =
      <A, R>(call: (argument: A) => R) =>
      (argument: A): R => {
        loop.stirred = true;
        return call(argument);
      };
    return {
      read: stirring((key) => made.read(key)),
      write: stirring((write) => made.write(write)),
      ...(made.writeAll && { writeAll: stirring(made.writeAll) }),
      ...(made.rows && { rows: made.rows }),
      begin: () => made.begin(),
    };
  }

  /** Virtual time since the start, in microseconds. */
  get elapsedUs(): number {
    return this.#loop.elapsedUs;
  }

  /** How many events were carried out. */
  get events(): number {
    return this.#loop.events;
  }

  /** The faults that struck so far. */
  get struck(): FaultPlan {
    return this.#network.struck;
  }

  /** How long the faults that struck go on, in milliseconds: pauses, cuts, messages under way. */
  get restlessMs(): number {
    return Math.max(0, this.#network.lastUs - this.#loop.elapsedUs) / 1000;
  }

  /** How many calls each link carried, by `from to`. */
  get counts(): ReadonlyMap<string, number> {
    return this.#network.counts;
  }

  /** The user's own tables as they stand, if the database shows them. */
  get rows(): StandingRows | undefined {
    return this.#database?.rows?.();
  }

  /** In which life each node is: 1 until its first crash, 0 while it is down. */
  get lives(): Readonly<Record<string, number>> {
    const lives: Record<string, number> = {};
    for (const { name, life, state } of this.#parties.values()) {
      lives[name] = state === "down" ? 0 : life;
    }
    return lives;
  }

  /**
   * Adds a node. Its program starts now, and again after each crash, in a new life.
   *
   * Fails: what the program throws before its first `await`, here; a promise that it returns and
   * that rejects fails the present or next `run`. A promise that it neither returns nor handles is
   * the host's unhandled rejection, as everywhere.
   */
  addNode(name: string, program: (node: Node) => void): void {
    const party = this.#addParty(name);
    this.#programs.set(name, program);
    this.#boot(party);
  }

  /** Adds a client: a party that never fails, and has no store. */
  addClient(name: string): Client {
    const party = this.#addParty(name);
    this.#noteNode(party, "started");
    return { name, party, sleep: sleepBy(party.runtime()) };
  }

  #addParty(name: string): Party {
    if (name === STORE || this.#parties.has(name)) {
      throw new ArgumentError("optionInvalid", `a party called ${name} is there already`);
    }
    const index = this.#parties.size + 1;
    const draw = (site: number): number => (mix(this.#seed, index * 64 + site) / 2 ** 32) * 2 - 1;
    const { maxSkewMs = 60_000, maxDrift = 0.0005 } = this.#options;
    const startUs = START_US + Math.round(draw(1) * maxSkewMs) * 1000;
    const rate = 1 + draw(2) * maxDrift;
    const party = new Party(this.#partyHost, name, index, { startUs, rate });
    this.#parties.set(name, party);
    return party;
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
      sendRequest(this.#network, client, this.#party(to), {
        what,
        timeoutMs,
        serve,
        resolve,
        failed: (error) => this.#loop.fail(error),
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
  run<T>(promise: Promise<T>): Promise<T> {
    return this.#loop.run(promise);
  }

  /** Lets so much time pass. */
  async pass(forMs: number): Promise<void> {
    const loop = this.#loop;
    await this.run(
      new Promise<void>((resolve) => {
        loop.at(forMs * 1000, () => {
          loop.stirred = true;
          resolve();
        });
      }),
    );
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
    const { name } = party;
    this.#noteNode(party, "started");
    this.#loop.stirred = true;
    const node = createNode(this.#nodeHost, party);
    const program = (): unknown => this.#programs.get(name)?.(node);
    const start = (): void => startProgram(party, program, (error) => this.#loop.fail(error));
    if (this.#guard === undefined || this.#loop.running) {
      start();
    } else {
      this.#guard.aside(start);
    }
  }

  #noteNode(
    party: Party,
    change: "started" | "crashed" | "paused" | "suspended" | "resumed",
  ): void {
    this.#note({ atUs: this.#loop.elapsedUs, type: "node", node: party.name, change });
  }

  #crash(party: Party, forMs: number): void {
    const of = { by: party.name, life: party.life };
    party.crash();
    this.#noteNode(party, "crashed");
    if (this.#sessions !== undefined && !this.#network.isCut(party.name, STORE)) {
      this.#loop.at(LOST_AFTER_US, () => this.#sessions?.drop(of));
    }
    const { life } = party;
    this.#loop.at(forMs * 1000, () => {
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
    this.#loop.at(forMs * 1000, () => {
      if (party.stopped(stop)) {
        this.#resume(party);
      }
    });
  }

  #resume(party: Party): void {
    this.#noteNode(party, "resumed");
    party.resume();
  }
}

/**
 * Creates a world. `profile` may be the id of one of `PROFILES`.
 *
 * Fails: ArgumentError `optionInvalid` for options and fault plans that can't be meant.
 */
export function createWorld(options: GivenWorldOptions): World {
  return new World(checkWorldOptions(options));
}
