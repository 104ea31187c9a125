// A client's connection to the sink. No fault strikes it but the death of the client: faults are
// for the store, and the sink is there to tell what really happened.
import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { SinkQuestion, SinkReply } from "./protocol.js";

export interface SinkClient {
  ask(question: SinkQuestion): Promise<Omit<SinkReply, "id">>;
  close(): void;
}

export function openSinkClient(port: number): SinkClient {
  const socket = connect(port, "127.0.0.1");
  const waiting = new Map<number, (reply: SinkReply) => void>();
  let count = 0;
  socket.on("error", () => {});
  createInterface({ input: socket })
    .on("line", (line) => {
      const reply = JSON.parse(line) as SinkReply;
      waiting.get(reply.id)?.(reply);
      waiting.delete(reply.id);
    })
    .on("error", () => {});
  return {
    ask: (question) =>
      new Promise((resolve) => {
        count += 1;
        waiting.set(count, resolve);
        socket.write(`${JSON.stringify({ id: count, ...question })}\n`);
      }),
    close: () => socket.destroy(),
  };
}
