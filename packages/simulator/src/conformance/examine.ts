// Examines one case on a data set of its own, and tells how it ended. Test runners and the report
// both rest on it.

import { type AtomicStore, type Runtime, systemRuntime } from "@onceproof/core/advanced";
import { checkFixture } from "./check-harness.js";
import { ConformanceError, ConformanceSkip, Interrupted } from "./checks.js";
import type { CaseDefinition } from "./definition.js";
import type { ConformanceFixture, ConformanceHarness, Need } from "./harness.js";
import { Lab } from "./lab.js";

/** How a case ended. */
export type Examined =
  | { readonly outcome: "passed" }
  /** The store broke the law, or the harness could not do its part. */
  | { readonly outcome: "failed"; readonly message: string; readonly error: Error }
  /** The store lacks the capability, or the harness the hook. */
  | { readonly outcome: "skipped"; readonly reason: string }
  /** It failed, as `knownGaps` says. */
  | { readonly outcome: "knownGap"; readonly reason: string; readonly message: string }
  /** It passed although `knownGaps` says that it does not: a failure of the harness. */
  | { readonly outcome: "gapClosed"; readonly reason: string };

/** What ends a case before its time. It rejects with an Interrupted, or never settles. */
export type Interruption = Promise<never>;

/** Runs a case, and holds the result against the harness' known gaps. */
export async function examine(
  definition: CaseDefinition,
  harness: ConformanceHarness,
  interruption?: Interruption,
): Promise<Examined> {
  const { drive = (promise) => promise } = harness;
  // Begun before `drive` is called, so that `create` can make what drives.
  const running = attempt(definition, harness, interruption);
  const examined = await drive(running).catch((error: unknown) => failure(definition, error));
  const reason = harness.knownGaps?.[definition.id];
  if (reason === undefined) {
    return examined;
  }
  switch (examined.outcome) {
    case "failed":
      return { outcome: "knownGap", reason, message: examined.message };
    case "passed":
      return { outcome: "gapClosed", reason };
    default:
      return examined;
  }
}

async function attempt(
  definition: CaseDefinition,
  harness: ConformanceHarness,
  interruption: Interruption = new Promise(() => {}),
): Promise<Examined> {
  const creating = (async () => harness.create())();
  let fixture: ConformanceFixture;
  try {
    fixture = await Promise.race([creating, interruption]);
    checkFixture(fixture);
  } catch (error) {
    // What comes too late is of no use to anybody, but it holds connections.
    void creating.then(({ close }) => close()).catch(() => {});
    return failure(definition, error, "the harness' create");
  }
  const examined = await judge(definition, fixture, harness, interruption);
  try {
    await Promise.race([fixture.close(), interruption]);
    return examined;
  } catch (error) {
    // What the case found says more than that its remains could not be cleared away.
    return examined.outcome === "passed"
      ? failure(definition, error, "the fixture's close")
      : examined;
  }
}

async function judge(
  definition: CaseDefinition,
  fixture: ConformanceFixture,
  harness: ConformanceHarness,
  interruption: Interruption,
): Promise<Examined> {
  const missing = (definition.needs ?? []).find((need) => !has(fixture, need));
  if (missing !== undefined) {
    return { outcome: "skipped", reason: REASONS[missing] };
  }
  const runtime: Runtime = harness.runtime ?? systemRuntime;
  try {
    await Promise.race([definition.run(new Lab(fixture, harness, runtime)), interruption]);
    return { outcome: "passed" };
  } catch (error) {
    return error instanceof ConformanceSkip
      ? { outcome: "skipped", reason: error.message }
      : failure(definition, error, "the store");
  }
}

function failure({ id, law }: CaseDefinition, error: unknown, who = "the case"): Examined {
  const told = error instanceof ConformanceError || error instanceof Interrupted;
  const message = told ? error.message : `${who} threw ${error}`;
  const wrapped = new ConformanceError(`${id} (${law}): ${message}`, { cause: error });
  return { outcome: "failed", message, error: wrapped };
}

const REASONS: Readonly<Record<Need, string>> = {
  peer: "the harness has no second client",
  otherNamespace: "the harness has no client of another namespace",
  otherNamespaceTail: "the harness does not say how the names of its two namespaces differ",
  advance: "the harness drives no clock",
  stepBack: "the harness can't step the store's clock back",
  restart: "the harness can't restart the store",
  loseReply: "the harness can't lose a reply",
  loseRequest: "the harness can't lose a request",
  stall: "the harness can't stall the server",
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
