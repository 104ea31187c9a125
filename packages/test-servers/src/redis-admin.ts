// One command to one Redis, over a connection of its own, for whoever sets servers up or watches
// them change.
import { Redis } from "ioredis";

const WITHIN_MS = 5_000;

/** Sends one command and resolves with its reply. */
export async function redisCommand(port: number, ...command: string[]): Promise<unknown> {
  const [name = "", ...args] = command;
  const client = new Redis(port, "127.0.0.1", {
    lazyConnect: true,
    retryStrategy: () => null,
    commandTimeout: WITHIN_MS,
    connectTimeout: WITHIN_MS,
    enableReadyCheck: false,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}

/** The fields of a reply in lines of `name:value`, such as INFO's. */
export function fieldsOf(reply: unknown): Readonly<Record<string, string>> {
  const lines = String(reply).split(/\r?\n/);
  return Object.fromEntries(lines.map((line) => line.split(/:(.*)/, 2)));
}
