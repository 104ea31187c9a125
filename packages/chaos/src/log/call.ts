// What is kept of a run: every call of every client, as it was asked and answered, on one clock.
// One line of JSON for each event, written before anything else happens, so that a client which is
// killed leaves what it knew.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Who is asked: the store, an algorithm. */
export type Subject =
  | "store"
  | "dedup"
  | "lock"
  | "issue"
  | "consume"
  | "transfer"
  | "insert"
  | "payment"
  | "sums"
  | "create"
  | "fire";

export type Line =
  | {
      readonly e: "ask";
      readonly n: number;
      /** Nanoseconds since the run began, on the machine's monotonic clock. */
      readonly at: number;
      readonly by: string;
      readonly to: Subject;
      readonly ask: unknown;
    }
  | { readonly e: "told"; readonly n: number; readonly at: number; readonly answer: unknown }
  /** Its answer will not come: it may have happened. */
  | { readonly e: "lost"; readonly n: number; readonly at: number }
  /** It certainly did nothing. */
  | { readonly e: "nothing"; readonly n: number; readonly at: number }
  /** It did not settle in time; `ms` is how long the process was running meanwhile. */
  | { readonly e: "hang"; readonly at: number; readonly what: string; readonly ms: number }
  /** Something was thrown that nobody documents. */
  | { readonly e: "error"; readonly at: number; readonly what: string };

/** One call from its question to its answer. */
export interface Call {
  readonly by: string;
  readonly to: Subject;
  readonly ask: unknown;
  readonly askedAt: number;
  /** Open if the process ended before. */
  readonly ended: "told" | "lost" | "nothing" | "open";
  readonly endedAt?: number;
  readonly answer?: unknown;
}

/** What all clients of a run wrote down. */
export interface Calls {
  readonly calls: readonly Call[];
  readonly hangs: readonly { readonly by: string; readonly what: string; readonly ms: number }[];
  readonly errors: readonly { readonly by: string; readonly what: string }[];
}

/** The lines of a file; what a killed process left unfinished at its end is no line. */
function linesOf<T>(file: string): T[] {
  const text = readFileSync(file, "utf8");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

export const CLIENT_FILE: RegExp = /^client-(.+)\.jsonl$/;

/** Reads the histories of a folder. */
export function readCalls(folder: string): Calls {
  const calls: Call[] = [];
  const hangs: Calls["hangs"][number][] = [];
  const errors: Calls["errors"][number][] = [];
  for (const name of readdirSync(folder).sort()) {
    const by = CLIENT_FILE.exec(name)?.[1];
    if (by === undefined) continue;
    const open = new Map<number, Call>();
    for (const line of linesOf<Line>(join(folder, name))) {
      if (line.e === "hang" || line.e === "error") {
        if (line.e === "hang") hangs.push({ by, what: line.what, ms: line.ms });
        else errors.push({ by, what: line.what });
      } else if (line.e === "ask") {
        const { at: askedAt, by: asker, to, ask } = line;
        open.set(line.n, { by: asker, to, ask, askedAt, ended: "open" });
      } else {
        const call = open.get(line.n);
        open.delete(line.n);
        if (call === undefined) continue;
        const answer = line.e === "told" ? { answer: line.answer } : {};
        calls.push({ ...call, ended: line.e, endedAt: line.at, ...answer });
      }
    }
    calls.push(...open.values());
  }
  calls.sort((a, b) => a.askedAt - b.askedAt);
  return { calls, hangs, errors };
}

/** One thing that reached the sink, in the order in which it did. */
export type SinkLine =
  | {
      readonly e: "effect";
      readonly key: string;
      readonly token: number;
      readonly by: string;
      /** False if the sink refused it, by its fence or as done already. */
      readonly accepted: boolean;
    }
  | {
      readonly e: "fenced";
      readonly resource: string;
      readonly token: number;
      readonly by: string;
      readonly accepted: boolean;
    };

export const SINK_FILE = "sink.jsonl";

/** Reads what reached the sink. */
export function readSink(folder: string): readonly SinkLine[] {
  return readdirSync(folder).includes(SINK_FILE) ? linesOf<SinkLine>(join(folder, SINK_FILE)) : [];
}
