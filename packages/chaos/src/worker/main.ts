// A client process: opens its connections through its proxy, works until it is told to finish, and
// ends when the process that started it is gone.
import { storeKind } from "../stores/store-kinds.js";
import { type Client, startClient } from "./client.js";
import type { FromWorker, ToWorker, WorkerOptions } from "./protocol.js";

const send = (message: FromWorker): void => {
  process.send?.(message, () => {});
};

// Ctrl-C goes to the whole group; who started us decides when we end.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit(1));

let client: Promise<Client> | undefined;

async function start(options: WorkerOptions): Promise<Client> {
  const { store, connections, port, space, operationTimeoutMs, tombstoneMs } = options;
  const kind = storeKind(store);
  const stores = await Promise.all(
    Array.from({ length: connections }, (_, index) => {
      const name = kind.clients[index % kind.clients.length] ?? "";
      return kind.open(name, { port, space, operationTimeoutMs, tombstoneMs });
    }),
  );
  const originNs = BigInt(options.originNs);
  const { name, seed, folder, sinkPort, broken } = options;
  const onCalls = (count: number): void => send({ type: "calls", count });
  return startClient(stores, { name, seed, folder, originNs, sinkPort, broken, onCalls });
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
      void client
        ?.then((started) => started.finish())
        .then(() => {
          send({ type: "finished" });
          process.disconnect();
          process.exit(0);
        });
      return;
  }
});
