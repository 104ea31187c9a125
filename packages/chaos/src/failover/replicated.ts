// A primary with an asynchronous replica whose replication can be stalled, and one address in front
// of both, which the clients keep while the replica takes over.
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { startRedis, startTcpProxy } from "@onceproof/test-servers";
import { Redis } from "ioredis";

export interface Replicated {
  /** Where clients connect, before and after the failover. */
  readonly port: number;
  /** Resolves when the replica has everything that the primary has answered. */
  inStep(): Promise<void>;
  /** From now on the replica gets nothing of what the primary answers. */
  stall(): void;
  /** Kills the primary, makes the replica a primary and sends the clients there. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

const POLL_MS = 10;
const IN_STEP_WITHIN_MS = 20_000;

/** @param behindMs - how far the replica's clock is behind; needs a clock shim unless 0. */
export async function startReplicated(behindMs: number): Promise<Replicated> {
  const diskless = ["--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"];
  const primary = await startRedis({ args: diskless });
  const link = await startTcpProxy(primary.port);
  const args = ["--replicaof", "127.0.0.1", String(link.port)];
  const clocked = behindMs === 0 ? undefined : await startRedis({ args, clock: true });
  clocked?.jumpClock(-behindMs);
  const replica = clocked ?? (await startRedis({ args }));
  const address = await startAddress(primary.port);

  const ask = async (port: number, ...command: [string, ...string[]]): Promise<unknown> => {
    const admin = new Redis(port, "127.0.0.1", { retryStrategy: () => null });
    admin.on("error", () => {});
    try {
      return await admin.call(...command);
    } finally {
      admin.disconnect();
    }
  };
  return {
    port: address.port,
    async inStep() {
      const endsAt = performance.now() + IN_STEP_WITHIN_MS;
      const place = async (port: number): Promise<string | undefined> => {
        const info = String(await ask(port, "INFO", "replication"));
        const up = !info.includes("role:slave") || info.includes("master_link_status:up");
        const offset = info.includes("role:slave") ? "slave_repl_offset" : "master_repl_offset";
        return up ? new RegExp(`${offset}:(\\d+)`).exec(info)?.[1] : undefined;
      };
      for (;;) {
        const reached = await place(replica.port);
        if (reached !== undefined && reached === (await place(primary.port))) return;
        if (performance.now() > endsAt) throw new Error("the replica does not get in step");
        await sleep(POLL_MS);
      }
    },
    stall: () => void link.hold(),
    async failOver() {
      primary.kill("SIGKILL");
      await link.close();
      await ask(replica.port, "REPLICAOF", "NO", "ONE");
      address.moveTo(replica.port);
    },
    async stop() {
      address.close();
      await link.close();
      await Promise.all([primary.stop(), replica.stop()]);
    },
  };
}

/** One port in front of whichever server is the primary. */
async function startAddress(
  firstPort: number,
): Promise<{ readonly port: number; moveTo(port: number): void; close(): void }> {
  let target = firstPort;
  const sockets = new Set<Socket>();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    moveTo(port) {
      target = port;
      cut();
    },
    close() {
      cut();
      server.close();
    },
  };
}
