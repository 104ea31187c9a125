// What a person reads after a run.
import picocolors from "picocolors";
import { asDeclared, type Observation } from "../failover/lossy-failover.js";
import { groupBy, type Verdict } from "../oracles/violation.js";
import type { ChaosReport } from "../run/run-chaos.js";

const SHOWN_OF_EACH = 3;

const WORDS: Readonly<Record<string, string>> = {
  clients: "lives of client processes",
  storeCalls: "calls of the store",
  unknownWrites: "writes without an answer",
  keys: "keys checked for linearizability",
  largestKey: "calls of the busiest key",
  undecidedKeys: "keys that could not be decided",
  dedupCalls: "calls of dedup",
  dedupKeys: "keys of dedup",
  effects: "effects at the sinks",
  staleEffectsRefused: "effects of late owners that the sink refused",
  executed: "runs that returned and were recorded",
  replayed: "callers that were given the recorded outcome",
  unresolvedKeys: "keys left to a person, or to the next verify",
  verifiedOnly: "keys told by verify alone, as the answer could not be recorded",
  locksAcquired: "locks acquired",
  fencedUses: "uses of a fencing token",
  staleUsesRefused: "uses of a stale token that the sink refused",
  tokensIssued: "single-use tokens issued",
  tokensConsumed: "of them consumed",
  consumptionsAsked: "consumptions asked for",
  tokensContended: "tokens that several requests wanted",
  updatesAsked: "updates of balances asked for",
  moneyAtTheEnd: "money in all accounts, as it was at first",
  insertsAsked: "unique inserts asked for",
  inserted: "of their requests inserted",
  eventsFired: "events fired",
  ordersCreated: "creates of orders",
  paymentsAsked: "payments asked for, in the user's own tables",
  paymentRequests: "requests of them",
  payments: "of these requests took effect, and have their row",
  paymentsReplayed: "callers that were given another's payment",
  paymentRuns: "runs of their handlers, with those that were rolled back",
  paymentDeadlocks: "of them rolled back as the victim of a deadlock",
  paymentCommitsUnknown: "of their commits without an answer",
  paymentsDeclined: "callers that were declined: not covered, or sold out",
  paymentLooks: "looks at money and stock in the middle of everything",
  paymentsIndeterminate: "callers that were told indeterminate",
};

export interface SummaryFacts {
  readonly store: string;
  readonly seed: number;
  readonly processes: number;
  readonly faults: readonly string[];
  readonly broken: string | undefined;
}

export function summaryText(report: ChaosReport, facts: SummaryFacts): string {
  const { store, seed, processes, broken } = facts;
  const { struck, elapsedMs, interrupted } = report;
  const faults = Object.entries(struck).map(([fault, count]) => `${fault} ${count}`);
  return [
    picocolors.bold(
      `Chaos on ${store}: seed ${seed}, ${processes} client processes, ${Math.round(elapsedMs / 1000)} s`,
    ),
    ...(broken === undefined ? [] : [picocolors.yellow(`broken on purpose: ${broken}`)]),
    ...(interrupted
      ? [picocolors.yellow("interrupted: judged as far as it came, without the last look")]
      : []),
    `faults: ${faults.join(", ") || "none"}`,
    violationsText(report),
  ].join("\n");
}

/** Numbers, then what was violated. */
export function violationsText({ violations, tallies }: Verdict): string {
  // What did not occur, as of workloads that were left out, has no line.
  const occurred = Object.entries(tallies).filter(([, value]) => value > 0);
  const numbers = occurred.map(
    ([name, value]) => `${value.toLocaleString("en").padStart(10)}  ${WORDS[name] ?? name}`,
  );
  const shown = [...groupBy(violations, ({ guarantee }) => guarantee)].flatMap(
    ([guarantee, group]) => {
      const more = group.length - SHOWN_OF_EACH;
      return [
        picocolors.red(guarantee),
        ...group.slice(0, SHOWN_OF_EACH).map(({ detail }) => indent(detail)),
        ...(more > 0 ? [`    and ${more} more`] : []),
      ];
    },
  );
  return [
    ...numbers,
    ...shown,
    violations.length === 0
      ? picocolors.green("Every guarantee held.")
      : picocolors.red(`${violations.length} violations.`),
  ].join("\n");
}

function indent(text: string): string {
  return text.replace(/^/gm, "    ");
}

export interface FailoverRun {
  readonly title: string;
  readonly observations: readonly Observation[];
}

/** What was declared of a failover, and what was seen. */
export function failoverText({ title, observations }: FailoverRun): string {
  const lines = observations.map((observation) => {
    const { what, declared, seen, detail } = observation;
    const paint = asDeclared([observation]) ? picocolors.green : picocolors.red;
    return `  ${paint(seen.padEnd(4))}  ${what} (declared: ${declared})\n        ${picocolors.dim(detail)}`;
  });
  return [picocolors.bold(title), ...lines].join("\n");
}
