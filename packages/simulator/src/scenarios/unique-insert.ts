// Scenarios of the unique insert: payments under an order's number, or under the numbers of an
// order and of a transaction, on two nodes.

import type { Inserted, UniqueInsert } from "@onceproof/core";
import type { MultiKeyStore } from "@onceproof/core/advanced";
import { ALL_PROFILES } from "../world/profile.js";
import type { Node } from "../world/world.js";
import { askAll, type Serve } from "./clients.js";
import { askLast, looked, record, type Verdict, verdictOf } from "./questions.js";
import type { Acts, Scenario, Stage, Stated } from "./scenario.js";
import { MULTI_KEY_PROFILES, NODES, SETTLE_MS, TIMES, targetsOf } from "./two-nodes.js";
import {
  UNIQUE_WORKLOADS,
  type UniqueAsk,
  type UniqueVariant,
  type UniqueWorkload,
} from "./unique-insert-workloads.js";

/** Builds the scenario of a variant; its guarantees come with it. */
export function uniqueInsertScenario(
  id: string,
  title: string,
  variant: UniqueVariant,
  states: readonly Stated<UniqueWorkload>[],
): Scenario<UniqueWorkload> {
  const workloads = UNIQUE_WORKLOADS[variant];
  return {
    id: `unique-insert/${id}`,
    algorithm: "unique-insert",
    title,
    times: TIMES,
    profiles: variant === "oneKey" ? ALL_PROFILES : MULTI_KEY_PROFILES,
    targets: targetsOf(workloads),
    workloads,
    states,
    play: (stage) => play(stage, variant),
  };
}

function play(stage: Stage<UniqueWorkload>, variant: UniqueVariant): Acts {
  const { world, workload } = stage;
  const { asks } = workload;
  const services = new Map<string, Serve<UniqueAsk>>();
  const ledger = createLedger(stage, variant);
  for (const name of NODES) {
    world.addNode(name, (node) => services.set(name, ledger(node).serve));
  }
  return {
    main: askAll(world, asks, services),
    settle: () =>
      askLast(world, (node) => {
        const { serve, lookUp } = ledger(node);
        const known = new Map(asks.filter(hasId).map((asked) => [asked.requestId, asked] as const));
        const places = new Map(
          asks
            .flatMap(({ keys }) => Object.entries(keys))
            .map(([name, key]) => [placeOf(name, key), [name, key]] as const),
        );
        const look = [...places.values()].map(
          ([name, key]) =>
            () =>
              looked(lookUp(name, key)),
        );
        return [...look, ...[...known.values()].map((asked) => () => serve(asked)), ...look];
      }),
  };
}

function hasId(asked: UniqueAsk): asked is UniqueAsk & { readonly requestId: string } {
  return asked.requestId !== undefined;
}

function placeOf(name: string, key: string): string {
  return `${name}=${key}`;
}

/** What one node offers in one life. */
interface Ledger {
  readonly serve: Serve<UniqueAsk>;
  lookUp(name: string, key: string): Promise<Inserted<unknown> | undefined>;
}

function createLedger(
  { world, core }: Stage<UniqueWorkload>,
  variant: UniqueVariant,
): (node: Node) => Ledger {
  return (node) => {
    const unique: UniqueInsert<unknown, string | UniqueAsk["keys"]> =
      core.createUniqueInsert<unknown>({
        // The variant of two keys runs on stores with `writeAll` alone.
        store: node.store as Node["store"] & MultiKeyStore,
        runtime: node.runtime,
        name: "payments",
        settleMs: SETTLE_MS,
        onEvent: (event) => world.recorder.told(node.name, event.type),
      });
    const given = (keys: UniqueAsk["keys"]): string | UniqueAsk["keys"] =>
      variant === "twoKeys" ? keys : (keys.key ?? "");

    const serve = ({ client, requestId, keys, value }: UniqueAsk): Promise<Verdict> => {
      const named = requestId === undefined ? {} : { requestId };
      const key = Object.entries(keys)
        .map(([name, each]) => placeOf(name, each))
        .sort()
        .join(" ");
      const input = { client, ...named, keys, value };
      return verdictOf(
        record(world, node, { method: "unique.insert", key, input }, () =>
          unique.insert({ keys: given(keys), value, ...named }),
        ),
      );
    };

    return {
      serve,
      lookUp: (name, uniqueKey) => {
        const key = placeOf(name, uniqueKey);
        const input = { name, uniqueKey };
        return record(world, node, { method: "unique.get", key, input }, () =>
          unique.get(given({ [name]: uniqueKey })),
        ) as Promise<Inserted<unknown> | undefined>;
      },
    };
  };
}
