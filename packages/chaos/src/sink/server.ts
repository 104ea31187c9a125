// Where effects land: a process of its own towards the clients, which does one thing at a time and
// writes down everything that reached it. Some of its effects are naive, some check a token.
import { appendFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { SINK_FILE, type SinkLine } from "../log/call.js";
import type { Offer, SinkReply, SinkRequest } from "./protocol.js";

export interface Sink {
  readonly port: number;
  close(): Promise<void>;
}

const OFFERS_KEPT = 24;

/** Starts the sink; `unfenced` makes it accept every token, to see that the judge notices. */
export async function startSink(
  folder: string,
  { unfenced = false }: { readonly unfenced?: boolean } = {},
): Promise<Sink> {
  const answer = sinkState(unfenced, (line) =>
    appendFileSync(join(folder, SINK_FILE), `${JSON.stringify(line)}\n`),
  );
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    createInterface({ input: socket })
      .on("line", (line) => {
        const request = JSON.parse(line) as SinkRequest;
        socket.write(`${JSON.stringify({ id: request.id, ...answer(request) })}\n`);
      })
      .on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function sinkState(
  unfenced: boolean,
  write: (line: SinkLine) => void,
): (request: SinkRequest) => Omit<SinkReply, "id"> {
  const fences = new Map<string, number>();
  const done = new Map<string, string>();
  const offers: Offer[] = [];
  /** Raises a fence; false if the token is older than the newest that it saw. */
  const admits = (name: string, token: number): boolean => {
    const newest = fences.get(name) ?? 0;
    fences.set(name, Math.max(newest, token));
    return unfenced || token >= newest;
  };
  return (request) => {
    switch (request.op) {
      case "effect": {
        const { key, token, by } = request;
        write({ e: "effect", key, token, by, accepted: true });
        return { accepted: true };
      }
      case "fencedEffect": {
        const { key, token, by, value } = request;
        const accepted = admits(`effect ${key}`, token);
        write({ e: "effect", key, token, by, accepted });
        if (accepted) done.set(key, value);
        return { accepted };
      }
      case "verify": {
        admits(`effect ${request.key}`, request.token);
        const value = done.get(request.key);
        return { accepted: true, ...(value !== undefined && { value }) };
      }
      case "fenced": {
        const { resource, token, by } = request;
        const accepted = admits(`lock ${resource}`, token);
        write({ e: "fenced", resource, token, by, accepted });
        return { accepted };
      }
      case "offer":
        offers.push(request.offer);
        if (offers.length > OFFERS_KEPT) offers.shift();
        return { accepted: true };
      case "pick": {
        const offer = offers[request.at % Math.max(1, offers.length)];
        return { accepted: true, ...(offer !== undefined && { offer }) };
      }
    }
  };
}
