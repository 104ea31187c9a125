// A client process: opens its connections through its proxy, works until it is told to finish, and
// ends when the process that started it is gone.
import { inspect } from "node:util";
import { loadStoreKind } from "../stores/load.js";
import { type Client, startClient } from "./client.js";
import type { FromWorker, ToWorker, WorkerOptions } from "./protocol.js";

const send = (message: FromWorker): void => {
  process.send?.(message, () => {});
};

// Ctrl-C goes to the whole group; who started us decides when we end.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit(1));

// mariadb 3.5.4: to destroy a connection with a question open it sends KILL through another one, and
// lets nobody catch it if that fails. Anything else that nobody catches ends the process.
const ofItsKill = ({ sql, code }: { sql?: unknown; code?: unknown }): boolean =>
  /^KILL \d+/.test(String(sql)) || (sql === null && code === "ER_SOCKET_UNEXPECTED_CLOSE");
process.on("unhandledRejection", (error) => {
  if (ofItsKill(Object(error))) return;
  process.stderr.write(`${inspect(error)}\n`);
  process.exit(1);
});

let client: Promise<Client> | undefined;

async function start(options: WorkerOptions): Promise<Client> {
  const { store, connections, place, space, operationTimeoutMs, tombstoneMs } = options;
  const kind = await loadStoreKind(store);
  const stores = await Promise.all(
    Array.from({ length: connections }, (_, index) => {
      const name = kind.clients[index % kind.clients.length] ?? "";
      return kind.open(name, { place, space, operationTimeoutMs, tombstoneMs });
    }),
  );
  const originNs = BigInt(options.originNs);
  const { name, seed, folder, sinkPort, broken, workloads } = options;
  const onCalls = (count: number): void => send({ type: "calls", count });
  const chosen = { broken, workloads, onCalls };
  return startClient(stores, { name, seed, folder, originNs, sinkPort, ...chosen });
}

process.on("message", (message: ToWorker) => {
  switch (message.type) {
    case "clock":
      send({ type: "clock", ns: String(process.hrtime.bigint()) });
      return;
    case "start":
      client = start(message.options);
      void client.then(() => send({ type: "started" }));
      return;
    case "finish":
      void client?.then((started) => started.finish()).then(() => send({ type: "finished" }));
      return;
    case "close":
      void client
        ?.then((started) => started.close())
        .then(() => {
          process.disconnect();
          process.exit(0);
        });
      return;
  }
});
