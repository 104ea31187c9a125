// How messages travel in a world: a request to a store, a sink or a node and its answer, with the
// faults that a plan has for them. One method per moment of a message's life.

import { Cuts } from "./cuts.js";
import { type FaultAt, FaultIndex, type FaultPlan } from "./fault-plan.js";
import { type Flight, Links, type Request } from "./flight.js";
import type { NetworkHost } from "./network-host.js";
import { isAtStore } from "./store-faults.js";

export class Network {
  readonly #host: NetworkHost;
  #faults: FaultIndex;
  #messages = 0;
  #healed = false;
  readonly #links = new Links();
  readonly #cuts = new Cuts();
  /** Directions in which connections are refused. */
  readonly #outages = new Cuts();
  /** Faults that struck, in order. */
  readonly struck: FaultAt[] = [];
  /** When the last of them is over, in microseconds since the start. */
  lastUs = 0;

  constructor(host: NetworkHost, plan: FaultPlan) {
    this.#host = host;
    this.#faults = new FaultIndex(plan);
  }

  /** How many calls each link has carried, by `from to`. */
  get counts(): ReadonlyMap<string, number> {
    return this.#links.counts;
  }

  /** Whether what is sent in this direction is lost now. */
  isCut(from: string, to: string): boolean {
    return this.#isCut(from, to);
  }

  /** No fault strikes from now on, not even at calls that are under way. */
  heal(): void {
    this.#healed = true;
    this.#faults = new FaultIndex([]);
    this.#cuts.clear();
    this.#outages.clear();
  }

  #faultsOf<A>(flight: Flight<A>): readonly FaultAt[] {
    return this.#healed ? NONE : flight.faults;
  }

  send<A>(request: Request<A>): void {
    const { from, life, to, ask, timeoutMs } = request;
    if (life !== from.life) {
      return;
    }
    if (from.state !== "up") {
      // What its code still sends before it stands still leaves when it goes on.
      from.enter(life, () => this.send(request));
      return;
    }
    const link = this.#links.between(from, to);
    link.sent += 1;
    const nth = link.sent;
    this.#messages += 1;
    const flight: Flight<A> = {
      id: this.#messages,
      site: link.site ^ (nth << 2),
      faults: this.#faults.at(from.name, to, nth),
      request,
      settled: false,
      timeout: undefined,
    };
    const atUs = this.#host.elapsedUs();
    this.#host.note({ atUs, type: "sent", message: flight.id, from: from.name, to, nth, ask });
    if (timeoutMs !== undefined) {
      const timeOut = (): void => this.#timeOut(flight);
      flight.timeout = this.#host.at(timeoutMs * 1000, () => from.enter(life, timeOut));
    }
    if (flight.faults.length === 0) {
      this.#depart(flight);
    } else {
      this.#strikeSender(flight);
    }
  }

  /** Faults at the moment of sending. */
  #strikeSender<A>(flight: Flight<A>): void {
    const { from, to } = flight.request;
    for (const fault of this.#faultsOf(flight)) {
      switch (fault.fault) {
        case "jumpClock":
          this.#strike(fault);
          from.jumpWall(fault.byMs * 1000);
          break;
        case "cut":
          this.#strike(fault);
          this.#cut(from.name, to, fault.legs, fault.forMs);
          break;
        case "refuse":
          this.#strike(fault);
          if (fault.forMs !== undefined) {
            const untilUs = this.#host.elapsedUs() + fault.forMs * 1000;
            this.#outages.cut(from.name, to, "requests", untilUs);
          }
          this.#refuse(flight);
          return;
        case "crash":
          if (fault.phase === "send") {
            this.#strike(fault);
            this.#lose(flight, "request");
            this.#host.crash(from, fault.forMs);
            return;
          }
          break;
        case "pause":
        case "suspend":
          if (fault.phase === "send") {
            this.#strike(fault);
            const state = fault.fault === "pause" ? "paused" : "suspended";
            this.#host.stop(from, state, fault.forMs);
            // It leaves when the process goes on.
            from.enter(flight.request.life, () => this.#depart(flight));
            return;
          }
          break;
        default:
      }
    }
    this.#depart(flight);
  }

  #depart<A>(flight: Flight<A>): void {
    const { from, to } = flight.request;
    if (this.#outages.isCut(from.name, to, this.#host.elapsedUs())) {
      this.#refuse(flight);
      return;
    }
    let delayUs = this.#latencyUs(flight, 0);
    let lost = this.#isCut(from.name, to);
    for (const fault of this.#faultsOf(flight)) {
      switch (fault.fault) {
        case "dropRequest":
          this.#strike(fault);
          lost = true;
          break;
        case "holdRequest":
          this.#strike(fault);
          delayUs += fault.forMs * 1000;
          break;
        case "duplicate":
          this.#strike(fault);
          this.#host.at(delayUs + fault.afterMs * 1000, () => this.#arrive(flight, 1));
          break;
        default:
      }
    }
    if (lost) {
      this.#lose(flight, "request");
    } else {
      this.#host.at(delayUs, () => this.#arrive(flight, 0));
    }
  }

  #arrive<A>(flight: Flight<A>, copy: number): void {
    const { request } = flight;
    if (copy === 0) {
      for (const fault of this.#faultsOf(flight)) {
        if (isAtStore(fault) && !("phase" in fault && fault.phase === "apply")) {
          this.#strike(fault);
          if (this.#host.strikeStore(fault, request.ask)) {
            this.#lose(flight, "request");
            if (fault.fault === "disconnect") {
              this.#reset(flight);
            }
            return;
          }
        }
      }
    }
    request.deliver((answer, outcome) => {
      const atUs = this.#host.elapsedUs();
      this.#host.note({ atUs, type: "arrived", message: flight.id, copy, outcome });
      if (copy === 0) {
        let reset = false;
        for (const fault of this.#faultsOf(flight)) {
          if (isAtStore(fault) && "phase" in fault && fault.phase === "apply") {
            this.#strike(fault);
            this.#host.strikeStore(fault, request.ask);
            reset ||= fault.fault === "disconnect";
          }
        }
        if (reset) {
          this.#lose(flight, "reply");
          this.#reset(flight);
        } else {
          this.#return(flight, answer);
        }
      }
    });
  }

  #return<A>(flight: Flight<A>, answer: A): void {
    const { from, to } = flight.request;
    let delayUs = this.#latencyUs(flight, 1);
    let lost = this.#isCut(to, from.name);
    for (const fault of this.#faultsOf(flight)) {
      if (fault.fault === "dropReply") {
        this.#strike(fault);
        lost = true;
      } else if (fault.fault === "holdReply") {
        this.#strike(fault);
        delayUs += fault.forMs * 1000;
      }
    }
    if (lost) {
      this.#lose(flight, "reply");
    } else {
      this.#host.at(delayUs, () => this.#land(flight, answer));
    }
  }

  /** The answer reaches the sender's machine. */
  #land<A>(flight: Flight<A>, answer: A): void {
    const { from } = flight.request;
    if (flight.settled || flight.request.life !== from.life) {
      return;
    }
    for (const fault of this.#faultsOf(flight)) {
      if ("phase" in fault && fault.phase === "reply") {
        this.#strike(fault);
        if (fault.fault === "crash") {
          this.#host.crash(from, fault.forMs);
          return;
        }
        this.#host.stop(from, fault.fault === "pause" ? "paused" : "suspended", fault.forMs);
      }
    }
    from.enter(flight.request.life, () => {
      if (!this.#settle(flight)) {
        return;
      }
      this.#host.note({ atUs: this.#host.elapsedUs(), type: "answered", message: flight.id });
      flight.request.answered(answer);
    });
  }

  #refuse<A>(flight: Flight<A>): void {
    this.#host.at(this.#latencyUs(flight, 0), () =>
      flight.request.from.enter(flight.request.life, () => {
        if (this.#settle(flight)) {
          this.#lose(flight, "request");
          flight.request.refused();
        }
      }),
    );
  }

  /** The sender learns that its connection is lost, and waits no longer. */
  #reset<A>(flight: Flight<A>): void {
    const { from, life } = flight.request;
    this.#host.at(this.#latencyUs(flight, 1), () => from.enter(life, () => this.#timeOut(flight)));
  }

  #timeOut<A>(flight: Flight<A>): void {
    if (this.#settle(flight)) {
      this.#host.note({ atUs: this.#host.elapsedUs(), type: "timedOut", message: flight.id });
      flight.request.unanswered();
    }
  }

  /** Whether nobody has told the sender an answer yet. */
  #settle<A>(flight: Flight<A>): boolean {
    const first = !flight.settled;
    flight.settled = true;
    if (flight.timeout !== undefined) {
      this.#host.cancel(flight.timeout);
    }
    return first;
  }

  #strike(fault: FaultAt): void {
    this.struck.push(fault);
    const lastsMs = "forMs" in fault ? (fault.forMs ?? 0) : "afterMs" in fault ? fault.afterMs : 0;
    this.lastUs = Math.max(this.lastUs, this.#host.elapsedUs() + lastsMs * 1000);
    this.#host.note({ atUs: this.#host.elapsedUs(), type: "fault", fault });
  }

  #lose<A>(flight: Flight<A>, leg: "request" | "reply"): void {
    this.#host.note({ atUs: this.#host.elapsedUs(), type: "lost", message: flight.id, leg });
  }

  #latencyUs<A>({ site }: Flight<A>, leg: 0 | 1): number {
    const { choices, latenciesUs } = this.#host;
    return latenciesUs[choices.pick(latenciesUs.length, site ^ leg)] ?? 0;
  }

  #cut(from: string, to: string, legs: "requests" | "replies" | "both", forMs: number): void {
    this.#cuts.cut(from, to, legs, this.#host.elapsedUs() + forMs * 1000);
    this.#host.at(forMs * 1000, () => {
      // After healing there is nothing left to mend, and another cut may last longer.
      if (this.#cuts.any && !this.#isCut(from, to) && !this.#isCut(to, from)) {
        this.#host.note({ atUs: this.#host.elapsedUs(), type: "mended", from, to });
      }
    });
  }

  #isCut(from: string, to: string): boolean {
    return this.#cuts.isCut(from, to, this.#host.elapsedUs());
  }
}

const NONE: readonly FaultAt[] = [];
