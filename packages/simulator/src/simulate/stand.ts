// Sets up one run: nodes that run the caller's handler, sinks and services, and clients that ask
// until they are answered.

import type { AtomicStore } from "@onceproof/core/advanced";
import { show } from "../checker/plain-data.js";
import type { Acts, Stage } from "../scenarios/scenario.js";
import { STORE } from "../world/store-client.js";
import type { Client, Node, World } from "../world/world.js";
import type { HandlerContext, NodeContext } from "./context.js";
import type { Resolved, Traffic } from "./options.js";
import { type Caller, copy, createRemote, type Remote } from "./remote.js";
import type { Answered, RunLog } from "./run-log.js";

/** One sender of one request. */
interface Delivery {
  readonly request: number;
  readonly client: string;
  readonly atMs: number;
  /** Which node it asks first; it goes round from there. */
  readonly first: number;
}

/** One fault lasts at most five leases. */
const FAULTS_LEASES = 5.2;
/** A second fault may begin as the first ends, and what comes late may start a handler. */
const REST_LEASES = 6;

/** How requests come, as plain data. */
export interface Schedule {
  readonly traffic: Traffic;
  /** How long after the first the second one comes. */
  readonly afterMs: number;
}

const REDELIVERED_AFTER_MS = 2_000;
const CLICKS_APART_MS = [0, 1, 2, 4, 8, 16];

/** The schedules of a traffic; faults strike in the first of them. */
export function schedulesOf(traffic: Traffic): readonly Schedule[] {
  switch (traffic) {
    case "retries":
      return [{ traffic, afterMs: 0 }];
    case "doubleClick":
      return CLICKS_APART_MS.map((afterMs) => ({ traffic, afterMs }));
    case "redelivery":
      return [{ traffic, afterMs: REDELIVERED_AFTER_MS }];
  }
}

/** The name of a schedule, as tokens hold it. */
export function scheduleId({ traffic, afterMs }: Schedule): string {
  return traffic === "doubleClick" && afterMs > 0 ? `${traffic}+${afterMs}` : traffic;
}

function deliveriesOf({ requests }: Resolved, { traffic, afterMs }: Schedule): readonly Delivery[] {
  return requests.flatMap((_, request): Delivery[] => {
    const client = clientName(requests.length, request);
    const once = { request, client, atMs: 0, first: 0 };
    const again = { request, client: `${client}-again`, first: 1 };
    return traffic === "retries" ? [once] : [once, { ...again, atMs: afterMs }];
  });
}

/** All names that clients may have. */
export function clientNames({ requests }: Resolved): readonly string[] {
  return requests.flatMap((_, index) => {
    const client = clientName(requests.length, index);
    return [client, `${client}-again`];
  });
}

function clientName(of: number, index: number): string {
  return of === 1 ? "client" : `client-${index + 1}`;
}

/** How people call a request: by the first text or number in it. */
export function requestNames(requests: readonly unknown[]): readonly string[] {
  const names = requests.map((request) => {
    const parts: unknown[] = typeof request === "object" ? Object.values(request ?? {}) : [request];
    const name = parts.find((part) => typeof part === "string" || typeof part === "number");
    return name === undefined ? "request" : String(name);
  });
  return names.map((name, index) =>
    names.indexOf(name) === index ? name : `${name}#${index + 1}`,
  );
}

type Served =
  | { readonly settled: true; readonly answer: Answered["answer"] }
  | { readonly settled: false };

type Serve = (request: number, attempt: number) => Promise<Served>;

/** Plays a run. */
export function play({ world, workload }: Stage<Schedule>, resolved: Resolved, log: RunLog): Acts {
  const services = resolved.makeServices();
  log.services = services;
  const remote = createRemote(world, log, services, resolved.makeEffects(services));
  const names = requestNames(resolved.requests);
  const serving = new Map<string, Serve>();
  for (const name of resolved.nodes) {
    world.addNode(name, (node) => {
      serving.set(name, serviceOf(node, { world, resolved, log, remote, names }));
    });
  }
  const clients = new Map<string, Client>();
  const deliveries = deliveriesOf(resolved, workload);
  log.senders.push(...deliveries);
  for (const { client } of deliveries) {
    clients.set(client, world.addClient(client));
  }
  const ask = async (delivery: Delivery): Promise<void> => {
    const client = clients.get(delivery.client);
    const { tries, patienceMs, gapMs } = resolved.client;
    for (let round = 0; client !== undefined && round < tries; round += 1) {
      const to = resolved.nodes[(delivery.first + round) % resolved.nodes.length] ?? "";
      const what = names[delivery.request] ?? "";
      const serve = (): Promise<Served> =>
        serving.get(to)?.(delivery.request, round + 1) ?? Promise.resolve({ settled: false });
      const got = await world.request(client, to, what, patienceMs, serve);
      if (got?.answer.settled) {
        const { answer } = got.answer;
        const atMs = world.elapsedUs / 1000;
        log.answers.push({ request: delivery.request, client: client.name, atMs, answer });
        return;
      }
      await client.sleep(gapMs);
    }
  };
  const main = async (delivery: Delivery): Promise<void> => {
    await clients.get(delivery.client)?.sleep(delivery.atMs);
    await ask(delivery);
  };
  const rest = async (leases: number): Promise<void> => {
    const [client] = clients.values();
    await client?.sleep(leases * resolved.leaseMs);
  };
  return {
    // Healing would cut a long pause short: it has to end by itself, with everyone else gone on.
    main: Promise.all(deliveries.map(main)).then(() => rest(FAULTS_LEASES)),
    async settle() {
      const open = deliveries.filter(
        ({ client }) => !log.answers.some((answered) => answered.client === client),
      );
      await Promise.all(open.map(ask));
      await rest(REST_LEASES);
    },
  };
}

interface Ground {
  readonly world: World;
  readonly resolved: Resolved;
  readonly log: RunLog;
  readonly remote: Remote;
  readonly names: readonly string[];
}

/** One life of a node. */
function serviceOf(node: Node, ground: Ground): Serve {
  const { world, resolved, log, remote, names } = ground;
  const contextOf = (caller: Caller): NodeContext<unknown, unknown> => ({
    node: node.name,
    runtime: node.runtime,
    sleep: node.sleep,
    store: notedStore(node, caller, remote),
    services: remote.servicesFor(caller),
    effects: remote.effectsFor(caller),
  });
  const local = resolved.start?.(contextOf({ node, run: 0 }));
  return async (index, attempt) => {
    log.runs += 1;
    const run = log.runs;
    const { name: by, life } = node;
    const asked = { by, life, method: "request", key: names[index] ?? "", input: { attempt } };
    try {
      const returned = await world.recorder.operation(asked, async (operation) => {
        const request = copy(resolved.requests[index], log, "a request");
        const context = contextOf({ node, run, operation, request: asked.key });
        const own: HandlerContext<unknown, unknown, unknown> = { ...context, local, attempt };
        return copy(await resolved.handler(request, own), log, "what the handler returns");
      });
      return { settled: true, answer: { returned } };
    } catch (error) {
      return servedError(error, ground);
    } finally {
      log.ended.add(run);
    }
  };
}

function servedError(error: unknown, { resolved, log }: Ground): Served {
  const { name, code, message } = Object(error) as Record<string, unknown>;
  const told = message === undefined ? show(error) : `${name ?? "Error"}: ${message}`;
  if (resolved.client.isFinal(error)) {
    return { settled: true, answer: { threw: String(code ?? told) } };
  }
  log.errors.add(told);
  return { settled: false };
}

/** The node's store, each call noted as a step. */
function notedStore(node: Node, caller: Caller, remote: Remote): Node["store"] {
  const { store } = node;
  const { writeAll } = store;
  const noted = <T>(method: string, send: () => T): T =>
    remote.noted(caller, STORE, `${STORE}.${method}`, send);
  const own: AtomicStore = {
    ...store,
    read: (key) => noted("read", () => store.read(key)),
    write: (write) => noted("write", () => store.write(write)),
  };
  return writeAll === undefined
    ? own
    : { ...own, writeAll: (all) => noted("writeAll", () => writeAll(all)) };
}
