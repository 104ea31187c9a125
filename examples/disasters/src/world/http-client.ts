// Sends JSON over real sockets, many at once, and retries as every HTTP client library does.

import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";

const CONNECTIONS = 128;
const ATTEMPTS = 5;
const RETRY_AFTER_MS = 20;

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export class Client {
  readonly #agent = new Agent({ connections: CONNECTIONS });

  /** One attempt. Throws when the reply is lost, or tells of a broken server. */
  async post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const response = await request(url, {
      method: "POST",
      dispatcher: this.#agent,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const reply = { status: response.statusCode, body: await response.body.json() };
    if (reply.status >= 500) {
      throw new Error(`POST ${url} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    }
    return reply;
  }

  /** The same request again and again until there is an answer. */
  async postUntilAnswered(
    url: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.post(url, body, headers);
      } catch (error) {
        if (attempt === ATTEMPTS) {
          throw error;
        }
        await sleep(RETRY_AFTER_MS);
      }
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
