// A TCP proxy that stands between a client and a server and loses, delays or holds what passes, so
// that the faults of a network can be had on one machine. Faults are rules and scoped values: each
// comes with what lifts it.
import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * What becomes of a request: it passes; it never arrives; or it arrives, and its reply is lost.
 * A loss cuts the connection, as nothing after it could be told apart; `swallowReply` leaves it
 * open, so that only the client's own patience ends the call.
 */
export type Verdict = "pass" | "loseRequest" | "loseReply" | "swallowReply";

/** Judges one chunk that a client sends; undefined leaves it to the next rule. */
export type Rule = (request: Buffer) => Verdict | undefined;

export interface TcpProxy {
  readonly port: number;
  /** Adds a rule; the first answer wins. Returns what lifts it. */
  addRule(rule: Rule): () => void;
  /** Applies once, to the next request that holds the text. */
  once(verdict: Verdict, text: string): void;
  /** Lets everything pass later by so much, both ways. Returns what lifts it. */
  delay(byMs: number): () => void;
  /** Lets nothing pass, both ways, until it is lifted. */
  hold(): () => void;
  /** Cuts every open connection. */
  cut(): void;
  close(): Promise<void>;
}

interface State {
  readonly rules: Set<Rule>;
  readonly sockets: Set<Socket>;
  /** Each settles when it is lifted; they end in any order. */
  readonly holds: Set<Promise<void>>;
  delayMs: number;
}

/** Starts a proxy on a free port of 127.0.0.1 in front of a port of the same machine. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const state: State = { rules: new Set(), sockets: new Set(), holds: new Set(), delayMs: 0 };
  const server = createServer((client) => join(client, connect(targetPort, "127.0.0.1"), state));
  const port = await listen(server);
  const cut = (): void => {
    for (const socket of state.sockets) socket.destroy();
  };
  const addRule = (rule: Rule): (() => void) => {
    state.rules.add(rule);
    return () => state.rules.delete(rule);
  };
  return {
    port,
    addRule,
    once(verdict, text) {
      const lift = addRule((request) => {
        if (!request.includes(text)) return undefined;
        lift();
        return verdict;
      });
    },
    delay(byMs) {
      state.delayMs += byMs;
      return () => {
        state.delayMs -= byMs;
      };
    },
    hold() {
      let lift = (): void => {};
      const held = new Promise<void>((resolve) => {
        lift = () => {
          state.holds.delete(held);
          resolve();
        };
      });
      state.holds.add(held);
      return lift;
    },
    cut,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await closed;
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

function join(client: Socket, server: Socket, state: State): void {
  const destroy = (): void => {
    client.destroy();
    server.destroy();
  };
  for (const socket of [client, server]) {
    state.sockets.add(socket);
    socket.setNoDelay(true);
    // An error is always followed by close.
    socket.on("error", () => {});
    socket.on("close", () => {
      state.sockets.delete(socket);
      destroy();
    });
  }
  let losing: "cut" | "swallow" | undefined;
  const toServer = inOrder(state, (chunk) => server.write(chunk));
  const toClient = inOrder(state, (chunk) => client.write(chunk));
  client.on("data", (chunk: Buffer) => {
    switch (judge(chunk, state.rules)) {
      case "loseRequest":
        destroy();
        return;
      case "loseReply":
        losing = "cut";
        break;
      case "swallowReply":
        losing = "swallow";
        break;
      default:
    }
    toServer(chunk);
  });
  server.on("data", (chunk: Buffer) => {
    if (losing === undefined) {
      toClient(chunk);
    } else if (losing === "cut") {
      destroy();
    }
  });
}

function judge(request: Buffer, rules: ReadonlySet<Rule>): Verdict {
  for (const rule of rules) {
    const verdict = rule(request);
    if (verdict !== undefined) return verdict;
  }
  return "pass";
}

/** Writes chunks in the order they came, each as late as the faults of the moment say. */
function inOrder(state: State, write: (chunk: Buffer) => void): (chunk: Buffer) => void {
  let last = Promise.resolve();
  let waiting = 0;
  return (chunk) => {
    if (waiting === 0 && state.delayMs === 0 && state.holds.size === 0) {
      write(chunk);
      return;
    }
    waiting += 1;
    const due = performance.now() + state.delayMs;
    last = last.then(async () => {
      while (state.holds.size > 0) await Promise.all(state.holds);
      const early = due - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      waiting -= 1;
      write(chunk);
    });
  };
}
