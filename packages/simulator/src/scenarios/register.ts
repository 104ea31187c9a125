// Scenarios of the register: the stock of a shelf on two nodes, changed by what is added to it.

import type { Register, RegisterSnapshot } from "@onceproof/core";
import { ALL_PROFILES } from "../world/profile.js";
import type { Node } from "../world/world.js";
import { askAll, type Serve } from "./clients.js";
import { askLast, keptFor, looked, record, type Verdict, verdictOf } from "./questions.js";
import {
  REGISTER_WORKLOADS,
  type RegisterAsk,
  type RegisterVariant,
  type RegisterWorkload,
} from "./register-workloads.js";
import type { Acts, Scenario, Stage, Stated } from "./scenario.js";
import { NODES, SETTLE_MS, TIMES, targetsOf } from "./two-nodes.js";

/** Builds the scenario of a variant; its guarantees come with it. */
export function registerScenario(
  id: string,
  title: string,
  variant: RegisterVariant,
  states: readonly Stated<RegisterWorkload>[],
): Scenario<RegisterWorkload> {
  const workloads = REGISTER_WORKLOADS[variant];
  return {
    id: `register/${id}`,
    algorithm: "register",
    title,
    times: TIMES,
    profiles: ALL_PROFILES,
    targets: targetsOf(workloads),
    workloads,
    states,
    play: (stage) => play(stage, variant),
  };
}

type Taken = RegisterSnapshot<number>;

function play(stage: Stage<RegisterWorkload>, variant: RegisterVariant): Acts {
  const { world, workload } = stage;
  const withSnapshots = variant === "snapshot";
  const asks = workload.asks.filter(({ act }) => withSnapshots || act !== "look");
  const services = new Map<string, Serve<RegisterAsk>>();
  const stock = createStock(stage, withSnapshots ? new Map() : undefined);
  for (const name of NODES) {
    world.addNode(name, (node) => services.set(name, stock(node).serve));
  }
  return {
    main: askAll(world, asks, services),
    settle: () =>
      askLast(world, (node) => {
        const { serve, lookUp } = stock(node);
        const known = new Map(
          asks.filter(({ act }) => act === "update").map((asked) => [requestOf(asked), asked]),
        );
        const keys = [...new Set(asks.map(({ key }) => key))];
        const look = keys.map((key) => () => looked(lookUp(key)));
        return [...look, ...[...known.values()].map((asked) => () => serve(asked)), ...look];
      }),
  };
}

/** One request, however often it is asked: the same for all its asks. */
function requestOf({ key, requestId }: RegisterAsk): string {
  return `${key} ${requestId}`;
}

/** What one node offers in one life. */
interface Stock {
  readonly serve: Serve<RegisterAsk>;
  lookUp(key: string): Promise<Taken | undefined>;
}

/** `kept` are the clients' snapshots, if they take any. */
function createStock(
  { world, core, workload }: Stage<RegisterWorkload>,
  kept: Map<string, Taken> | undefined,
): (node: Node) => Stock {
  return (node) => {
    const register: Register<number> = core.createRegister({
      store: node.store,
      runtime: node.runtime,
      name: "stock",
      requestWindow: workload.requestWindow,
      retentionMs: TIMES.retentionMs,
      settleMs: SETTLE_MS,
      maxRounds: 8,
      onEvent: (event) => world.recorder.told(node.name, event.type),
    });

    const lookUp: Stock["lookUp"] = async (key) => {
      let snapshot: Taken | undefined;
      await record(world, node, { method: "register.get", key, input: {} }, async () => {
        snapshot = await register.get(key);
        return snapshot.value;
      });
      return snapshot;
    };

    const update = (asked: RegisterAsk, snapshot: Taken | undefined): Promise<Verdict> => {
      const { key, client, requestId, delta } = asked;
      const input = { client, requestId, delta, withSnapshot: snapshot !== undefined };
      return verdictOf(
        record(world, node, { method: "register.update", key, input }, () =>
          register.update(snapshot ?? key, requestId, (value = workload.initial, { refuse }) =>
            value + delta < 0 ? refuse("there is not enough") : value + delta,
          ),
        ),
      );
    };

    return {
      lookUp,
      async serve(asked) {
        if (kept === undefined) {
          return update(asked, undefined);
        }
        try {
          const snapshot = await keptFor(kept, requestOf(asked), () => lookUp(asked.key));
          return asked.act === "look" ? "settled" : update(asked, snapshot);
        } catch {
          return "again";
        }
      },
    };
  };
}
