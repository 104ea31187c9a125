// ioredis (5 and 6) as a connection: a single client, also one that finds its server by Sentinel, and
// a Cluster. Both send a command again by themselves when its connection was lost.

import type { IoredisClient, IoredisCluster } from "./client.js";
import { atOnce, type Connection, createConnectionEvents } from "./connection.js";
import { type ErrorWatch, watchErrors } from "./connection-error.js";
import { writeGatherer } from "./gather-writes.js";
import { hashSlot } from "./hash-slot.js";
import { checkReadsFromMaster } from "./replica-reads.js";

function stateOf(client: IoredisClient): ReturnType<Connection["state"]> {
  if (client.status === "ready") {
    return "ready";
  }
  if (client.status === "wait") {
    // A lazy client connects on its first command; we send none before it is ready.
    client.connect().catch(() => {});
  }
  return client.status === "end" ? "ended" : "connecting";
}

/** Notes why a socket closed: ioredis emits no error where nobody listens, and of nodes not all. */
function noteClosed(client: object, { note }: ErrorWatch): void {
  const error = (client as { readonly stream?: { readonly errored?: unknown } }).stream?.errored;
  if (error) {
    note(error);
  }
}

/** A client of one server. */
export function ioredisConnection(client: IoredisClient): Connection {
  checkReadsFromMaster(client.options);
  const { wake, lost, ...events } = createConnectionEvents();
  client.on("ready", wake);
  client.on("end", wake);
  client.on("close", lost);
  const errors = watchErrors(client);
  client.on("ready", errors.connected);
  client.on("close", () => noteClosed(client, errors));
  const gather = writeGatherer(client as { readonly stream?: unknown });
  const send = ([command = "", ...args]: readonly string[]): Promise<unknown> => {
    gather();
    return client.call(command, ...args);
  };
  return {
    cluster: false,
    sole: true,
    tells: true,
    keyPrefix: client.options?.keyPrefix ?? "",
    inTurn: atOnce,
    send: (_, args) => send(args),
    sendInOrder: (_, commands) => Promise.all(commands.map(send)),
    serverOf: () => "",
    state: () => stateOf(client),
    lastError: errors.lastError,
    ...events,
  };
}

// By slot, the addresses of its master and its replicas.
type Slots = readonly (readonly string[] | undefined)[];
type ClusterNode = ReturnType<IoredisCluster["nodes"]>[number];

/** A client of a cluster. */
export function ioredisClusterConnection(cluster: IoredisCluster): Connection {
  checkReadsFromMaster(cluster.options);
  const { wake, lost, ...events } = createConnectionEvents();
  cluster.on("ready", wake);
  cluster.on("end", wake);
  const errors = watchErrors(cluster);
  cluster.on("ready", errors.connected);
  cluster.on("node error", errors.note);
  // A command may be sent again when the connection that carried it closes. A node that cannot be
  // reached closes time and again, and carried nothing.
  const follow = (node: ClusterNode): void => {
    let carried = node.status === "ready";
    node.on("ready", () => {
      carried = true;
    });
    node.on("close", () => {
      noteClosed(node, errors);
      if (carried) {
        lost();
      }
      carried = false;
    });
  };
  const keyPrefix = cluster.options?.keyPrefix ?? "";
  const slots = (): Slots | undefined => (cluster as { readonly slots?: Slots }).slots;
  cluster.on("+node", (node) => follow(node as ClusterNode));
  for (const node of cluster.nodes()) {
    follow(node);
  }
  return {
    cluster: true,
    sole: false,
    tells: true,
    keyPrefix,
    inTurn: atOnce,
    send: (_, [command = "", ...args]) => cluster.call(command, ...args),
    async sendInOrder(_, commands) {
      const pipeline = cluster.pipeline(
        commands.map(([name = "", ...args]) => [name.toLowerCase(), ...args]),
      );
      const replies = (await pipeline.exec()) as readonly (readonly [unknown, unknown])[];
      return replies.map(([error, reply]) => {
        if (error !== null && error !== undefined) {
          throw error;
        }
        return reply;
      });
    },
    serverOf: (key) => slots()?.[hashSlot(keyPrefix + key)]?.[0] ?? key,
    state: () => stateOf(cluster),
    lastError: errors.lastError,
    ...events,
  };
}
