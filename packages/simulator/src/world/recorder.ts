// Keeps the history that oracles judge and, beside it, the trace that people read.

import type { Answer, Effect, History, Operation, Span } from "./history.js";
import type { TraceEvent } from "./trace.js";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

// What is copied comes last in its literal: V8 makes a new hidden class for every property that is
// added behind a spread, which costs more than all the rest of a record.

export class Recorder {
  readonly #note: (event: TraceEvent) => void;
  readonly #nowUs: () => number;
  readonly #operations: Operation[] = [];
  readonly #effects: Effect[] = [];
  readonly #spans: Span[] = [];
  readonly #findings: Record<string, unknown> = {};
  #healedUs: number | undefined;

  constructor(note: (event: TraceEvent) => void, nowUs: () => number) {
    this.#note = note;
    this.#nowUs = nowUs;
  }

  get history(): History {
    return {
      operations: this.#operations,
      effects: this.#effects,
      spans: this.#spans,
      healedUs: this.#healedUs,
      findings: this.#findings,
    };
  }

  /** Records an operation and its answer; passes the answer on. */
  async operation<T>(
    asked: Omit<Operation, "id" | "beganUs" | "endedUs" | "answer">,
    run: (operation: number) => Promise<T>,
  ): Promise<T> {
    const id = this.#operations.length;
    const operation: Operation = { id, beganUs: this.#nowUs(), ...asked };
    this.#operations.push(operation);
    const what = `${asked.method} ${asked.key}`;
    this.#note({ atUs: this.#nowUs(), type: "began", operation: id, node: asked.by, what });
    const end = (answer: Answer): void => {
      operation.endedUs = this.#nowUs();
      operation.answer = answer;
      this.#note({
        atUs: this.#nowUs(),
        type: "ended",
        operation: id,
        node: asked.by,
        what: describeAnswer(answer),
      });
    };
    try {
      const returned = await run(id);
      end({ returned });
      return returned;
    } catch (error) {
      const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
      end({ threw: { code, message: String(message) } });
      throw error;
    }
  }

  /** Records something that reached a sink. */
  effect(reached: Omit<Effect, "id" | "atUs">): Effect {
    const effect: Effect = { id: this.#effects.length, atUs: this.#nowUs(), ...reached };
    this.#effects.push(effect);
    const { sink, by, key, accepted, fencingToken } = effect;
    this.#note({
      atUs: this.#nowUs(),
      type: "effect",
      sink,
      from: by,
      what: key,
      accepted,
      ...(fencingToken !== undefined && { fencingToken }),
    });
    return effect;
  }

  /** Records that a node's code believes something from now on; the function returned ends it. */
  span(believed: Omit<Span, "id" | "fromUs" | "untilUs" | "result">): (result?: unknown) => void {
    const span: Mutable<Span> = { id: this.#spans.length, fromUs: this.#nowUs(), ...believed };
    this.#spans.push(span);
    const note = (edge: "from" | "until"): void => {
      const { id, by, kind, key, fencingToken } = span;
      this.#note({
        atUs: this.#nowUs(),
        type: "span",
        span: id,
        node: by,
        edge,
        what: `${kind} ${key}`,
        ...(fencingToken !== undefined && { fencingToken }),
      });
    };
    note("from");
    return (result) => {
      if (span.untilUs === undefined) {
        span.untilUs = this.#nowUs();
        span.result = result;
        note("until");
      }
    };
  }

  told(node: string, what: string): void {
    this.#note({ atUs: this.#nowUs(), type: "told", node, what });
  }

  /** Records what was looked up at the very end. */
  finding(name: string, value: unknown): void {
    this.#findings[name] = value;
  }

  healed(): void {
    this.#healedUs = this.#nowUs();
    this.#note({ atUs: this.#nowUs(), type: "healed" });
  }
}

function describeAnswer(answer: Answer): string {
  if ("threw" in answer) {
    return `threw ${String(answer.threw.code ?? answer.threw.message)}`;
  }
  const { returned } = answer;
  if (typeof returned === "object" && returned !== null && "outcome" in returned) {
    return String(returned.outcome);
  }
  return returned === undefined ? "returned" : `returned ${JSON.stringify(returned)}`;
}
