// What an entity's own history must show: moves that follow one another and that somebody asked
// for, each request once, in an order that real time allows; and states that they explain.

import { type OperationOf, operationsOf, returnedBy } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { equal } from "./equality.js";
import { firstOf, inWords, ms, named, told } from "./judge.js";
import {
  type Chain,
  chainsOf,
  type Entity,
  entitiesOf,
  type Fire,
  type Item,
  isAnswerOf,
  type Move,
  type Request,
  resultOf,
} from "./machine-chain.js";
import type { Memory } from "./requests.js";

const MOVES_ONCE =
  "Each (id, requestId) moves the entity at most once and gets the same answer again, refusals included, though the entity has moved on.";
const ILLEGAL = "An illegal move changes neither state nor data.";

function itemInWords({ event, from, to, requestId }: Item): string {
  const by = requestId === undefined ? "" : ` by request "${requestId}"`;
  return `${event} from ${from} to ${to}${by}`;
}

/** Whether a request can have made a move. */
function mayHaveMade(item: Item, { id, calls, answered }: Request, readUs: number): boolean {
  if (id !== item.requestId) return false;
  if (answered !== undefined) return isAnswerOf(item, answered);
  return calls.some(({ input, beganUs }) => input.event === item.event && beganUs <= readUs);
}

/** A move that nobody can have made, or one more than were asked for. */
function unasked({ requests }: Entity, { reading, moves }: Chain): string | undefined {
  const readUs = reading.endedUs ?? reading.beganUs;
  const left = new Set(requests);
  // Those that were told the move come first: the open ones are left for what nobody was told.
  const sorted = [...requests].sort(
    (a, b) => Number(b.answered !== undefined) - Number(a.answered !== undefined),
  );
  return firstOf(moves, ({ item }) => {
    const maker = sorted.find((request) => left.has(request) && mayHaveMade(item, request, readUs));
    if (maker !== undefined) left.delete(maker);
    if (maker !== undefined) return undefined;
    return `${named(reading)} tells ${itemInWords(item)}, which no request can have made, or none once more`;
  });
}

/** Two moves in an order that real time does not allow. */
function untimely({ reading, moves }: Chain): string | undefined {
  let latest: Move | undefined;
  return firstOf(moves, (move) => {
    if (latest !== undefined && move.untilUs < latest.fromUs) {
      return `${named(reading)} tells ${itemInWords(move.item)}, done by ${ms(move.untilUs)}, after ${itemInWords(latest.item)}, not asked before ${ms(latest.fromUs)}`;
    }
    if (latest === undefined || move.fromUs > latest.fromUs) latest = move;
    return undefined;
  });
}

/** A move that was told before the reading, is not in it, and is not older than what is. */
function missing({ requests }: Entity, { reading, moves, whole }: Chain): string | undefined {
  return firstOf(requests, ({ answered, fromUs, untilUs }) => {
    if (answered === undefined || untilUs >= reading.beganUs) return undefined;
    if (resultOf(answered)?.outcome !== "moved") return undefined;
    if (moves.some(({ item }) => isAnswerOf(item, answered))) return undefined;
    const olderIsKept = moves.some((move) => move.untilUs < fromUs);
    if (!olderIsKept && !whole) return undefined;
    return `${named(reading)} does not tell what ${named(answered)} was told: ${told(answered)}`;
  });
}

function judgeChain(entity: Entity, chain: Chain): string | undefined {
  return unasked(entity, chain) ?? untimely(chain) ?? missing(entity, chain);
}

/** The directions of a reading, each with what it violates. */
interface Judged {
  readonly chain: Chain;
  readonly violation: string | undefined;
}

const judged = new WeakMap<Entity, Map<Chain["reading"], readonly Judged[]>>();

/** Judged once for both guarantees: an entity is made for one history and one memory. */
function judgedOf(entity: Entity, reading: Chain["reading"], memory: Memory): readonly Judged[] {
  let ofEntity = judged.get(entity);
  if (ofEntity === undefined) {
    ofEntity = new Map();
    judged.set(entity, ofEntity);
  }
  let known = ofEntity.get(reading);
  if (known === undefined) {
    known = chainsOf(entity, reading, memory).map((chain) => {
      return { chain, violation: judgeChain(entity, chain) };
    });
    ofEntity.set(reading, known);
  }
  return known;
}

/** What a reading violates in every direction in which its moves follow one another. */
function judgeReading(
  entity: Entity,
  reading: Chain["reading"],
  memory: Memory,
): string | undefined {
  const chains = judgedOf(entity, reading, memory);
  if (chains.length === 0) {
    const items = returnedBy<"machine.history">(reading) ?? [];
    return `${named(reading)} tells moves that do not follow one another: ${items.map(itemInWords).join("; ")}`;
  }
  const verdicts = chains.map(({ violation }) => violation);
  return verdicts.includes(undefined) ? undefined : verdicts[0];
}

/** The entity's history holds what was told and nothing that nobody asked for, each move once. */
export function machineHistory(memory: Memory = {}): Guarantee {
  return {
    id: "machine/history",
    sentence: MOVES_ONCE,
    judge: (history, setting) =>
      firstOf(entitiesOf(history, setting, memory), (entity) =>
        firstOf(entity.readings, (reading) => judgeReading(entity, reading, memory)),
      ),
  };
}

/** A state that a call saw, and when. */
interface Sight {
  readonly call: Fire | OperationOf<"machine.get">;
  readonly state: string;
  readonly data?: { readonly of: unknown };
}

function sightsOf(history: History, key: string): Sight[] {
  const sights: Sight[] = [];
  for (const call of operationsOf(history, "machine.fire")) {
    const result = call.key === key ? resultOf(call) : undefined;
    const saw =
      result?.outcome === "alreadyThere" || (result?.outcome === "refused" && !result.replayed);
    if (saw) sights.push({ call, state: result.state });
  }
  for (const call of operationsOf(history, "machine.get")) {
    const found = call.key === key ? returnedBy<"machine.get">(call) : undefined;
    if (found !== undefined) sights.push({ call, state: found.state, data: { of: found.data } });
  }
  return sights;
}

/** How many moves can have been made when a call saw the entity: from, to. */
function placesOf(
  { moves, whole }: Chain,
  { beganUs, endedUs, input }: Sight["call"],
): [number, number] {
  let first = whole ? 0 : -1;
  // Who fires from a snapshot may see the entity as it was when that was taken.
  const sinceUs =
    "withSnapshot" in input && input.withSnapshot ? Number.NEGATIVE_INFINITY : beganUs;
  for (const [index, { untilUs }] of moves.entries()) if (untilUs < sinceUs) first = index + 1;
  const later = moves.findIndex(({ fromUs }) => fromUs > (endedUs ?? beganUs));
  return [first, later === -1 ? moves.length : later];
}

function unexplained(chain: Chain, sights: readonly Sight[]): string | undefined {
  const { moves, reading } = chain;
  const data = new Map<number, Sight>();
  return firstOf(sights, (sight) => {
    // What came after the reading is not in it.
    if ((sight.call.endedUs ?? reading.beganUs) >= reading.beganUs) return undefined;
    const [first, last] = placesOf(chain, sight.call);
    if (first < 0 || moves.length === 0) return undefined;
    const states = [moves[0]?.item.from, ...moves.map(({ item }) => item.to)].slice(
      first,
      last + 1,
    );
    if (!states.includes(sight.state)) {
      return `${named(sight.call)} saw the state ${sight.state}, where the moves allow ${states.join(" or ")}`;
    }
    if (first !== last || sight.data === undefined) return undefined;
    const other = data.get(first) ?? sight;
    data.set(first, other);
    if (equal(other.data?.of, sight.data.of)) return undefined;
    return `the data changed without a move: ${named(other.call)} saw ${inWords(other.data?.of)}, ${named(sight.call)} ${inWords(sight.data.of)}`;
  });
}

/** Each state that somebody saw is explained by the moves, and data change only with a move. */
export function machineStates(memory: Memory = {}): Guarantee {
  return {
    id: "machine/states",
    sentence: ILLEGAL,
    judge: (history, setting) =>
      firstOf(entitiesOf(history, setting, memory), (entity) => {
        const { key, readings } = entity;
        const sights = sightsOf(history, key);
        return firstOf(readings, (reading) => {
          const chains = judgedOf(entity, reading, memory).filter(({ violation }) => {
            return violation === undefined;
          });
          const verdicts = chains.map(({ chain }) => unexplained(chain, sights));
          if (verdicts.length === 0 || verdicts.includes(undefined)) return undefined;
          return `${verdicts[0]}, as ${named(reading)} tells them`;
        });
      }),
  };
}
