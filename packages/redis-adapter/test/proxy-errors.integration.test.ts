// Between a client and Redis may stand a proxy that speaks its protocol (Envoy, twemproxy, predixy). When
// it loses the server's reply it answers with an error of its own, which proves nothing.
import { connect, createServer } from "node:net";
import { createRedisStore } from "@onceproof/redis-adapter";
import { missing, newOpId, startRedis, type TestServer } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ClientKind,
  ioredis6Plain,
  ioredisPlain,
  nodeRedis,
  nodeRedis6,
} from "./support/clients.js";

const KINDS: readonly ClientKind[] = [ioredisPlain, ioredis6Plain, nodeRedis, nodeRedis6];

// What the proxies' own sources say; the server may have run the command.
const SAID = ["upstream failure", "ERR Connection timed out", "ERR server connection close"];

/** Passes everything, and answers the next script call with what it is told to say. */
async function startErringProxy(targetPort: number) {
  let next: string | undefined;
  let saying: string | undefined;
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    const end = (): void => {
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on("error", end).on("close", end);
    client.on("data", (chunk) => {
      if (next !== undefined && chunk.includes("EVAL")) [saying, next] = [next, undefined];
      target.write(chunk);
    });
    target.on("data", (chunk) => {
      client.write(saying === undefined ? chunk : `-${saying}\r\n`);
      saying = undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    answerWith(error: string) {
      next = error;
    },
    close: () => server.close(),
  };
}

describe.skipIf(missing("redis"))("behind a proxy that answers for the server", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis({ args: ["--appendonly", "no"] });
  });
  afterAll(() => server.stop());

  describe.each(KINDS)("with $name", (kind) => {
    test.each(SAID)(
      "a write answered with %j may have applied, so it is unknown",
      async (error) => {
        const proxy = await startErringProxy(server.port);
        const { client, close } = await kind.open(proxy.port);
        try {
          const store = createRedisStore({ client, watch: false });
          const next = { value: "v", ttlMs: 60_000 } as const;
          const create = () =>
            ({ key: newOpId(), opId: newOpId(), expect: "absent", next }) as const;
          // From here on the server knows the script, so that the next call is one EVALSHA.
          await store.write(create());
          const write = create();
          proxy.answerWith(error);
          expect(await store.write(write)).toMatchObject({ outcome: "unknown" });
          expect(await store.write(write)).toMatchObject({ outcome: "applied", replayed: true });
        } finally {
          close();
          proxy.close();
        }
      },
    );
  });
});
