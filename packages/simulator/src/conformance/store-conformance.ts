// Turns the clauses' definitions into cases for one harness: makes the data set, judges what the
// case needs, and says which law failed.

import { type AtomicStore, type Runtime, systemRuntime } from "@onceproof/core/advanced";
import { ConformanceError, ConformanceSkip } from "./checks.js";
import { multiKey } from "./clauses/multi-key.js";
import { s0 } from "./clauses/s0-conditions.js";
import { s1 } from "./clauses/s1-linearizable.js";
import { s2 } from "./clauses/s2-expiry.js";
import { s3 } from "./clauses/s3-revisions.js";
import { s4 } from "./clauses/s4-refusals.js";
import { s5 } from "./clauses/s5-replays.js";
import { s6 } from "./clauses/s6-unknown.js";
import { s7 } from "./clauses/s7-time.js";
import { s8 } from "./clauses/s8-keys.js";
import { s9 } from "./clauses/s9-values.js";
import { s10 } from "./clauses/s10-ttl.js";
import { s11 } from "./clauses/s11-close.js";
import { sweepable } from "./clauses/sweepable.js";
import { transactional } from "./clauses/transactional.js";
import { watchable } from "./clauses/watchable.js";
import type { CaseDefinition } from "./definition.js";
import type {
  Clause,
  ConformanceCase,
  ConformanceFixture,
  ConformanceHarness,
  Need,
  SkipContext,
} from "./harness.js";
import { Lab } from "./lab.js";

const CLAUSES: readonly (readonly [Clause, readonly CaseDefinition[]])[] = [
  ["S0", s0],
  ["S1", s1],
  ["S2", s2],
  ["S3", s3],
  ["S4", s4],
  ["S5", s5],
  ["S6", s6],
  ["S7", s7],
  ["S8", s8],
  ["S9", s9],
  ["S10", s10],
  ["S11", s11],
  ["multiKey", multiKey],
  ["transactional", transactional],
  ["watchable", watchable],
  ["sweepable", sweepable],
];

/**
 * The contract's clauses as cases for one store:
 * `for (const c of storeConformance(harness)) test(c.title, c.run)`.
 *
 * Guarantee: each case runs on a data set of its own. A case that passes says nothing more than
 * that this law held this time; one that fails has found a store that breaks it.
 */
export function storeConformance(harness: ConformanceHarness): ConformanceCase[] {
  const runtime = harness.runtime ?? systemRuntime;
  return CLAUSES.flatMap(([clause, definitions]) =>
    definitions.map((definition) => toCase(clause, definition, harness, runtime)),
  );
}

function toCase(
  clause: Clause,
  definition: CaseDefinition,
  harness: ConformanceHarness,
  runtime: Runtime,
): ConformanceCase {
  const { id, law, needs = [] } = definition;
  const conformanceCase: ConformanceCase = {
    id,
    clause,
    title: `${id.slice(0, id.indexOf("-"))} ${law}`,
    needs,
    async run(context) {
      const reason = harness.skip?.[id] ?? (await attempt(definition, harness, runtime));
      if (reason !== undefined) {
        skip(conformanceCase, reason, harness, context);
      }
    },
  };
  return conformanceCase;
}

/** Runs a case on a new data set; returns why it was skipped, if it was. */
async function attempt(
  { id, law, needs = [], run }: CaseDefinition,
  harness: ConformanceHarness,
  runtime: Runtime,
): Promise<string | undefined> {
  const fixture = await harness.create();
  try {
    const missing = needs.find((need) => !has(fixture, need));
    if (missing !== undefined) {
      return REASONS[missing];
    }
    await run(new Lab(fixture, harness, runtime));
    return undefined;
  } catch (error) {
    if (error instanceof ConformanceSkip) {
      return error.message;
    }
    const what = error instanceof ConformanceError ? error.message : `the store threw ${error}`;
    throw new ConformanceError(`${id} (${law}): ${what}`, { cause: error });
  } finally {
    await fixture.close();
  }
}

const REASONS: Readonly<Record<Need, string>> = {
  peer: "the harness has no second client",
  otherNamespace: "the harness has no client of another namespace",
  advance: "the harness drives no clock",
  stepBack: "the harness can't step the store's clock back",
  restart: "the harness can't restart the store",
  loseReply: "the harness can't lose a reply",
  loseRequest: "the harness can't lose a request",
  writeAll: "the store has no writeAll",
  transaction: "the store has no transactions",
  watch: "the store has no watch",
  sweep: "the store has no sweep",
  durable: 'the store declares that writes survive no longer than the "process"',
};

function has(fixture: ConformanceFixture, need: Need): boolean {
  switch (need) {
    case "writeAll":
    case "transaction":
    case "watch":
    case "sweep":
      return typeof (fixture.store as AtomicStore & Record<string, unknown>)[need] === "function";
    case "durable":
      return fixture.store.capabilities.durability !== "process";
    default:
      return fixture[need] !== undefined;
  }
}

function skip(
  conformanceCase: ConformanceCase,
  reason: string,
  harness: ConformanceHarness,
  context: SkipContext | undefined,
): void {
  if (typeof context?.skip === "function") {
    context.skip(reason);
  } else if (harness.onSkip !== undefined) {
    harness.onSkip(conformanceCase, reason);
  } else {
    throw new ConformanceSkip(`${conformanceCase.id} was skipped: ${reason}`);
  }
}
