// Scenarios of the state machine: orders on two nodes. The data of an order lists the moves that
// were made, each added in the step that made it, so that a double move cannot hide.

import type { Snapshot, StateMachine } from "@onceproof/core";
import { ALL_PROFILES } from "../world/profile.js";
import type { Node } from "../world/world.js";
import { askAll, type Serve } from "./clients.js";
import { askLast, keptFor, looked, record, type Verdict, verdictOf } from "./questions.js";
import type { MadeMove } from "./recorded.js";
import type { Acts, Scenario, Stage, Stated } from "./scenario.js";
import {
  MACHINE_WORKLOADS,
  type MachineAsk,
  type MachineVariant,
  type MachineWorkload,
} from "./state-machine-workloads.js";
import { NODES, SETTLE_MS, TIMES, targetsOf } from "./two-nodes.js";

/** Builds the scenario of a variant; its guarantees come with it. */
export function stateMachineScenario(
  id: string,
  title: string,
  variant: MachineVariant,
  states: readonly Stated<MachineWorkload>[],
): Scenario<MachineWorkload> {
  const workloads = MACHINE_WORKLOADS[variant];
  return {
    id: `state-machine/${id}`,
    algorithm: "state-machine",
    title,
    times: TIMES,
    profiles: ALL_PROFILES,
    targets: targetsOf(workloads),
    workloads,
    states,
    play: (stage) => play(stage, variant),
  };
}

type Made = readonly MadeMove[];

/** One request, however often it is asked: the same for all its asks. */
function requestOf({ id, client, event, requestId }: MachineAsk): string {
  return `${id} ${requestId ?? `${client}'s ${event}`}`;
}

function play(stage: Stage<MachineWorkload>, variant: MachineVariant): Acts {
  const { world, workload } = stage;
  const withSnapshots = variant === "snapshot";
  const asks = workload.asks.filter(({ act }) => withSnapshots || act !== "look");
  const kept = new Map<string, Snapshot<string, Made>>();
  const services = new Map<string, Serve<MachineAsk>>();
  const shop = createShop(stage, withSnapshots, kept);
  for (const name of NODES) {
    world.addNode(name, (node) => services.set(name, shop(node).serve));
  }
  return {
    main: askAll(world, asks, services),
    settle: () =>
      askLast(world, (node) => {
        const { serve, lookUp, history } = shop(node);
        const known = new Map(
          asks
            .filter(({ requestId, act }) => requestId !== undefined && act !== "look")
            .map((asked) => [requestOf(asked), asked]),
        );
        const ids = [...new Set(asks.map(({ id }) => id))];
        const look = ids.map((id) => () => looked(lookUp(id)));
        return [
          ...look,
          ...ids.map((id) => () => looked(history(id))),
          ...[...known.values()].map((asked) => () => serve(asked)),
          ...look,
        ];
      }),
  };
}

/** What one node offers in one life. */
interface Shop {
  readonly serve: Serve<MachineAsk>;
  lookUp(id: string): Promise<Snapshot<string, Made> | undefined>;
  history(id: string): Promise<unknown>;
}

function createShop(
  { world, core, workload }: Stage<MachineWorkload>,
  withSnapshots: boolean,
  kept: Map<string, Snapshot<string, Made>>,
): (node: Node) => Shop {
  return (node) => {
    const machine: StateMachine<string, string, Made> = core.createStateMachine({
      store: node.store,
      runtime: node.runtime,
      name: "orders",
      definition: workload.definition,
      data: [] as Made,
      requestWindow: workload.requestWindow,
      retentionMs: TIMES.retentionMs,
      settleMs: SETTLE_MS,
      maxRounds: 8,
      onEvent: (event) => world.recorder.told(node.name, event.type),
    });

    const lookUp: Shop["lookUp"] = async (id) => {
      let snapshot: Snapshot<string, Made> | undefined;
      await record(world, node, { method: "machine.get", key: id, input: {} }, async () => {
        snapshot = await machine.get(id);
        return snapshot && { state: snapshot.state, data: snapshot.data };
      });
      return snapshot;
    };

    const create = ({ id, client, requestId }: MachineAsk): Promise<Verdict> => {
      const named = requestId === undefined ? {} : { requestId };
      const input = { client, ...named };
      return verdictOf(
        record(world, node, { method: "machine.create", key: id, input }, () =>
          machine.create(id, named),
        ),
      );
    };

    const fire = (
      { id, client, event, requestId, unlisted }: MachineAsk,
      snapshot: Snapshot<string, Made> | undefined,
    ): Promise<Verdict> => {
      const named = requestId === undefined ? {} : { requestId };
      const withSnapshot = snapshot !== undefined;
      const input = { client, event, ...named, withSnapshot, ...(unlisted && { unlisted }) };
      return verdictOf(
        record(world, node, { method: "machine.fire", key: id, input }, (operation) =>
          machine.fire(snapshot ?? id, event, {
            ...named,
            ...(!unlisted && {
              data: (made: Made) => [...made, { event, operation, ...named }],
            }),
          }),
        ),
      );
    };

    return {
      lookUp,
      history: (id) =>
        record(world, node, { method: "machine.history", key: id, input: {} }, () =>
          machine.history(id),
        ),
      async serve(asked) {
        if (asked.act === "create") {
          return create(asked);
        }
        if (!withSnapshots) {
          return fire(asked, undefined);
        }
        try {
          const snapshot = await keptFor(kept, requestOf(asked), () => lookUp(asked.id));
          if (snapshot === undefined) {
            return "again";
          }
          return asked.act === "look" ? "settled" : fire(asked, snapshot);
        } catch {
          return "again";
        }
      },
    };
  };
}
