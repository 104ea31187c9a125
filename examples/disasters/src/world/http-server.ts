// Serves one app on a free loopback port. No fixed port, so several runs never collide.

import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { codeOf } from "@onceproof/core";
import { Hono, type MiddlewareHandler } from "hono";

type Env = { Bindings: HttpBindings };
export type App = Hono<Env>;

export interface Listening {
  readonly url: string;
  /** How many requests have arrived. */
  readonly requests: number;
  close(): Promise<void>;
}

/** An app whose errors reach the client, not the terminal: another payload under a key is its fault. */
export function createApp(): App {
  const app: App = new Hono<Env>();
  app.onError((error, c) =>
    c.json({ error: error.message }, codeOf(error) === "mismatch" ? 422 : 500),
  );
  return app;
}

export async function listen(app: App): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  let requests = 0;
  server.on("request", () => {
    requests += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) {
          server.closeAllConnections();
        }
      }),
  };
}

/**
 * Does the work of the first `count` requests, then cuts the connection instead of replying: to the
 * client the work may or may not have been done.
 */
export function loseReplies(count: number): MiddlewareHandler<Env> {
  let left = count;
  return async (c, next) => {
    await next();
    if (left > 0) {
      left -= 1;
      c.env.incoming.socket.destroy();
    }
  };
}
