// What an entity's data must list: each move once, made by an operation that may have made it. Data
// forget nothing, so they show more than the entity's history of a window.

import {
  type MadeMove,
  type OperationOf,
  operationsOf,
  returnedBy,
} from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import { equal } from "./equality.js";
import { firstOf, inWords, isOpen, named, precedes, told } from "./judge.js";
import { type Entity, entitiesOf, type Fire, resultOf } from "./machine-chain.js";
import type { Memory } from "./requests.js";

type Get = OperationOf<"machine.get">;

function dataOf(get: Get): readonly MadeMove[] | undefined {
  return returnedBy<"machine.get">(get)?.data;
}

/** Whether a call can have made a move, by what it was told. */
function mayHaveMade(move: MadeMove, call: Fire | undefined, get: Get): boolean {
  if (call === undefined || call.key !== get.key || precedes(get, call)) return false;
  const { event, requestId } = call.input;
  if (event !== move.event || requestId !== move.requestId) return false;
  const result = resultOf(call);
  return result?.outcome === "moved" ? result.event === move.event : isOpen(call);
}

/** An operation or a request in the list once more than it can have moved. */
function repeated({ requests }: Entity, get: Get, moves: readonly MadeMove[]): string | undefined {
  const operations = new Set<number>();
  const times = new Map<string, number>();
  return firstOf(moves, ({ operation, event, requestId }) => {
    const over = `${named(get)} shows that ${event} moved more often than it may`;
    if (operations.has(operation)) return `${over} in #${operation}`;
    operations.add(operation);
    if (requestId === undefined) return undefined;
    const count = (times.get(requestId) ?? 0) + 1;
    times.set(requestId, count);
    const may = requests.filter(({ id, calls, answered }) => {
      const refused = answered !== undefined && resultOf(answered)?.outcome === "refused";
      return id === requestId && calls.length > 0 && !refused;
    }).length;
    return count > may ? `${over} by request "${requestId}"` : undefined;
  });
}

/** Whether its event lists its moves in the data. */
function lists({ input }: Fire): boolean {
  return !("unlisted" in input && input.unlisted === true);
}

/** A move that a call was told before the look, and that is not in the list. */
function missing({ requests }: Entity, get: Get, moves: readonly MadeMove[]): string | undefined {
  return firstOf(requests, ({ id, answered }) => {
    const result = answered && resultOf(answered);
    if (answered === undefined || result?.outcome !== "moved" || !lists(answered)) return undefined;
    if (!precedes(answered, get)) {
      return undefined;
    }
    const listed = moves.some(({ operation, requestId, event }) => {
      return (
        event === result.event && (id === undefined ? operation === answered.id : requestId === id)
      );
    });
    if (listed) return undefined;
    return `${named(get)} saw ${inWords(moves)}, without what ${named(answered)} was told: ${told(answered)}`;
  });
}

/** An earlier look whose list does not begin the later one. */
function rewritten(gets: readonly Get[], get: Get, moves: readonly MadeMove[]): string | undefined {
  return firstOf(gets, (earlier) => {
    const before = dataOf(earlier);
    if (before === undefined || !precedes(earlier, get)) return undefined;
    if (equal(before, moves.slice(0, before.length))) return undefined;
    return `${named(get)} saw ${inWords(moves)}, after ${named(earlier)} had seen ${inWords(before)}`;
  });
}

/** The data list each move once, each that was told, and none that nobody can have made. */
export function machineMovesOnce(memory: Memory = {}): Guarantee {
  return {
    id: "machine/moves-once",
    sentence:
      "Each (id, requestId) moves the entity at most once and gets the same answer again, refusals included, though the entity has moved on.",
    judge(history, setting) {
      const gets = operationsOf(history, "machine.get");
      return firstOf(entitiesOf(history, setting, memory), (entity) => {
        const looks = gets.filter(({ key }) => key === entity.key);
        const fires = new Map(entity.fires.map((call) => [call.id, call]));
        return firstOf(looks, (get) => {
          const moves = dataOf(get);
          if (!Array.isArray(moves)) return undefined;
          const stray = moves.find((move) => !mayHaveMade(move, fires.get(move.operation), get));
          if (stray !== undefined) {
            const call = fires.get(stray.operation);
            const whose = call === undefined ? "nobody" : `${named(call)}, told ${told(call)},`;
            return `${named(get)} shows the move ${inWords(stray)}, which ${whose} cannot have made`;
          }
          return (
            repeated(entity, get, moves) ??
            missing(entity, get, moves) ??
            rewritten(looks, get, moves)
          );
        });
      });
    },
  };
}
