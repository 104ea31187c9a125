// Reads webhook payloads from a directory: each JSON file is one payload, or an index of examples
// by event in the form of @octokit/webhooks-examples.

import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface Payload {
  readonly event: string;
  readonly body: unknown;
}

/** GitHub's own examples, from the package that collects them. */
function githubExamples(): string {
  return dirname(createRequire(import.meta.url).resolve("@octokit/webhooks-examples"));
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** Every payload of a directory; GitHub's examples without one. */
export async function readPayloads(directory: string = githubExamples()): Promise<Payload[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`cannot read the directory ${directory} (${error.code})`);
  });
  const files = names.filter((file) => file.endsWith(".json")).sort();
  const payloads: Payload[] = [];
  for (const file of files) {
    const content = parse(await readFile(join(directory, file), "utf8"), file);
    payloads.push(...payloadsOf(file.replace(/\.json$/, ""), content));
  }
  if (payloads.length === 0) {
    throw new Error(`${directory} holds no JSON file`);
  }
  return payloads;
}

function payloadsOf(name: string, content: unknown): Payload[] {
  const index: readonly unknown[] = Array.isArray(content) ? content : [];
  if (index.length === 0 || !index.every(isExamples)) {
    return [{ event: name, body: content }];
  }
  return index.flatMap(({ name: event, examples }) => examples.map((body) => ({ event, body })));
}

function isExamples(value: unknown): value is { name: string; examples: unknown[] } {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "examples" in value &&
    Array.isArray(value.examples)
  );
}
