// Tries the plans: none, every plan of one fault, then as many of two as the budget allows.

import { callsOf, Menus } from "../explore/plans.js";
import { macrotaskHop } from "../runtime.js";
import { mix } from "../world/choices.js";
import type { FaultAt, FaultPlan } from "../world/fault-plan.js";
import { profileOf } from "../world/profile.js";
import { whereInWords } from "./fault-words.js";
import { FROM_CLIENT, type Gap, gapFaultOf, gapOf, gapsOf, labelOf } from "./gaps.js";
import { Innocents } from "./innocents.js";
import type { Simulation } from "./judges.js";
import type { Resolved, Traffic } from "./options.js";
import type { LoggedCall } from "./run-log.js";
import { carryOut, type Ran, specOf } from "./runs.js";
import { type Schedule, scheduleId, schedulesOf } from "./stand.js";
import { type Candidate, Candidates, type GapRow, GapTally } from "./tallies.js";

export interface Searched {
  readonly candidates: readonly Candidate[];
  readonly gaps: readonly GapRow[];
  readonly plans: { readonly none: number; readonly one: number; readonly two: number };
  /** Whether all plans of one fault were tried, and all of two. */
  readonly complete: { readonly one: boolean; readonly two: boolean };
}

/** Searches as far as the budget and the caller's signal allow. */
export function search(simulation: Simulation, resolved: Resolved): Promise<Searched> {
  return new Search(simulation, resolved).run();
}

/** A schedule in which faults strike, and its run without any. */
interface Ground {
  readonly schedule: Schedule;
  readonly base: Ran;
  readonly menus: Menus;
  /** What goes wrong without any fault: no fault is to blame for it. */
  readonly known: Set<string>;
  readonly innocents: Innocents;
}

/** A plan of one fault that went well, from which plans of two go on. */
interface Start {
  readonly ground: Ground;
  readonly first: FaultAt;
  readonly gap: Gap;
  readonly logged: readonly LoggedCall[];
}

// Without a budget of the caller's: all plans of one fault unless they are very many, some of two.
const MOST_OF_ONE = 3_000;
const SOME_OF_TWO = 300;
/** After so many runs the host gets its turn. */
const BREATHE_EVERY = 32;

class Search {
  readonly #simulation: Simulation;
  readonly #resolved: Resolved;
  readonly #candidates = new Candidates();
  readonly #tally = new GapTally();
  readonly #grounds: Ground[] = [];
  readonly #starts: Start[] = [];
  readonly #tried = { none: 0, one: 0, two: 0 };

  constructor(simulation: Simulation, resolved: Resolved) {
    this.#simulation = simulation;
    this.#resolved = resolved;
  }

  async run(): Promise<Searched> {
    for (const traffic of this.#resolved.traffic) {
      await this.#tryNone(traffic);
      if (this.#grounds[0]?.known.has("stuck")) {
        // A handler that never answers has no gaps to strike: every plan would tell the same.
        break;
      }
    }
    const fails = this.#grounds[0]?.known.has("stuck") === true;
    const one = !fails && (await this.#tryOnes());
    const two = one && (await this.#tryTwos());
    return {
      candidates: this.#candidates.all,
      gaps: this.#tally.rows(this.#order()),
      plans: this.#tried,
      complete: { one, two },
    };
  }

  /** All gaps in the order of the handler's steps, of the traffic that has most of them. */
  #order(): readonly string[] {
    const orders = this.#grounds.map(({ base }) => gapsOf(base.log.calls));
    const [longest = []] = orders.sort((one, other) => other.length - one.length);
    return [...Object.values(WITHOUT).map(({ gap }) => gap), ...longest];
  }

  get #stopped(): boolean {
    return this.#resolved.signal?.aborted ?? false;
  }

  async #carryOut(schedule: Schedule, plan: FaultPlan): Promise<Ran> {
    const { none, one, two } = this.#tried;
    if ((none + one + two) % BREATHE_EVERY === 0) {
      await macrotaskHop();
    }
    return carryOut(this.#simulation, this.#resolved, specOf(this.#resolved, schedule, plan));
  }

  async #tryNone(traffic: Traffic): Promise<void> {
    const { scenario } = this.#simulation;
    const { gap, where } = WITHOUT[traffic];
    const known = new Set<string>();
    for (const schedule of schedulesOf(traffic)) {
      const ran = await this.#carryOut(schedule, []);
      this.#tried.none += 1;
      const ids = ran.violations.map(({ guarantee }) => guarantee);
      this.#tally.count(gap, "none", ids);
      for (const id of ids) {
        // Told with the simplest traffic that shows it.
        if (!this.#isKnown(id) && !known.has(id)) {
          this.#candidates.note({ id, gap, where, spec: ran.spec });
        }
        known.add(id);
      }
      const named = scenario.workloads.find(({ id }) => id === scheduleId(schedule));
      if (named?.id === traffic) {
        const menus = new Menus(scenario, profileOf(this.#resolved.store), named);
        const innocents = new Innocents(menus);
        this.#grounds.push({ schedule, base: ran, menus, known, innocents });
      }
    }
  }

  #isKnown(id: string): boolean {
    return this.#grounds.some(({ known }) => known.has(id));
  }

  /** Whether all plans of one fault were tried. */
  async #tryOnes(): Promise<boolean> {
    const { scenario } = this.#simulation;
    const all = this.#grounds.flatMap((ground) =>
      callsOf(scenario, ground.base.trace).flatMap((call) =>
        ground.menus.of(call).map((fault) => ({ ground, fault: { ...call, ...fault } })),
      ),
    );
    const { plans, seed } = this.#resolved;
    const takes = sampler(
      seed,
      all.length,
      plans === undefined ? MOST_OF_ONE : plans - this.#tried.none,
    );
    for (const { ground, fault } of all) {
      if (!this.#stopped && takes()) {
        await this.#tryOne(ground, fault);
      }
    }
    return this.#tried.one === all.length;
  }

  async #tryOne(ground: Ground, first: FaultAt): Promise<void> {
    const { schedule, base, known } = ground;
    const ran = await this.#carryOut(schedule, [first]);
    this.#tried.one += 1;
    const ids = ran.violations.map(({ guarantee }) => guarantee).filter((id) => !known.has(id));
    const gap = gapOf(first, base.log.calls, this.#resolved.nodes);
    const label = labelOf(gap);
    const fault = gapFaultOf(first);
    this.#tally.count(label, fault, ids);
    for (const id of ids) {
      // A request that comes twice by itself is what two senders show without any fault.
      if (label !== FROM_CLIENT || !this.#isKnown(id)) {
        const where = whereInWords(first, gap);
        this.#candidates.note({ id, gap: label, where, spec: ran.spec }, fault);
      }
    }
    if (ids.length > 0) {
      ground.innocents.blame(first);
      return;
    }
    ground.innocents.clear(first, callsOf(this.#simulation.scenario, ran.trace));
    this.#starts.push({ ground, first, gap, logged: ran.log.calls });
  }

  /** Whether all plans of two faults were tried that no plan of one explains. */
  async #tryTwos(): Promise<boolean> {
    const { plans, seed } = this.#resolved;
    const { none, one } = this.#tried;
    const left = plans === undefined ? SOME_OF_TWO : plans - none - one;
    if (left <= 0) {
      return false;
    }
    const all = this.#starts
      .map(({ ground, first }) => ground.innocents.countSeconds(first))
      .reduce((sum, count) => sum + count, 0);
    const takes = sampler(seed, all, left);
    for (const start of this.#starts) {
      for (const second of start.ground.innocents.seconds(start.first, takes)) {
        if (!this.#stopped) {
          await this.#tryTwo(start, second);
        }
      }
    }
    return this.#tried.two === all;
  }

  async #tryTwo({ ground, first, gap, logged }: Start, second: FaultAt): Promise<void> {
    const ran = await this.#carryOut(ground.schedule, [first, second]);
    this.#tried.two += 1;
    const later = gapOf(second, logged, this.#resolved.nodes);
    const labels = [labelOf(gap), labelOf(later)];
    for (const { guarantee: id } of ran.violations) {
      // One fault alone shows it in one of the two gaps: that says it better.
      const told = labels.some((label) => this.#candidates.has(id, label));
      if (!told && !this.#isKnown(id)) {
        const where = `${whereInWords(first, gap)}; then ${whereInWords(second, later)}`;
        this.#candidates.note({ id, gap: labels.join(" + "), where, spec: ran.spec });
      }
    }
  }
}

/** Takes as many as the budget allows, spread evenly and without a pattern. */
function sampler(seed: number, all: number, budget: number): () => boolean {
  const oneIn = Math.ceil(all / Math.max(budget, 1));
  let number = 0;
  return () => {
    number += 1;
    return budget > 0 && (oneIn <= 1 || mix(seed, number) % oneIn === 0);
  };
}

/** How what goes wrong without any fault is told. */
const WITHOUT: {
  readonly [traffic in Traffic]: { readonly gap: string; readonly where: string };
} = {
  retries: { gap: "no fault", where: "without any fault" },
  doubleClick: { gap: "two at once", where: "two deliveries at once, without any fault" },
  redelivery: { gap: "delivered again", where: "delivered a second time, without any fault" },
};
