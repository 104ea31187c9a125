// A message broker that pushes over HTTP and keeps the promise that most brokers keep: at least once.

import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "./http-client.js";

const REDELIVER_AFTER_MS = 20;
const MAX_DELIVERIES = 10;

export interface Message {
  readonly id: string;
  readonly body: unknown;
}

export class Broker {
  readonly #client: Client;
  readonly #consumer: string;

  constructor(client: Client, consumer: string) {
    this.#client = client;
    this.#consumer = consumer;
  }

  /** Delivers until the consumer's ACK has arrived, and tells how often that was. */
  async deliver(message: Message): Promise<number> {
    for (let delivery = 1; delivery <= MAX_DELIVERIES; delivery += 1) {
      try {
        await this.#client.post(this.#consumer, message);
        return delivery;
      } catch {
        // No ACK. Whether the consumer has acted cannot be seen from here.
        await sleep(REDELIVER_AFTER_MS);
      }
    }
    throw new Error(`message ${message.id}: no ACK in ${MAX_DELIVERIES} deliveries`);
  }
}
