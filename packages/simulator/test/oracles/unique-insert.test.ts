// What the oracles of unique inserts allow and forbid, by histories written by hand.

import * as unique from "../../src/oracles/unique-insert.ts";
import type { Recorded } from "../../src/scenarios/recorded.ts";
import { judges } from "./cases.ts";
import { type Pen, threw } from "./written.ts";

type Keys = Readonly<Record<string, string>>;
type Word = "created" | "replayed" | "exists" | "indeterminate" | { readonly conflict: string };

const ANN = { email: "ann" };
const BOTH = { email: "ann", phone: "1" };

function answer(word: Word, value: unknown): Recorded["unique.insert"]["returned"] {
  if (typeof word === "object") return { outcome: "conflict", key: word.conflict };
  if (word === "indeterminate") return { outcome: word, cause: "?" };
  return { outcome: word, value };
}

function insert(
  pen: Pen,
  requestId: string | undefined,
  [keys, value]: readonly [Keys, string],
  fromMs: number,
  toMs?: number,
  word?: Word | ReturnType<typeof threw>,
  by = "a",
): void {
  const id = requestId === undefined ? {} : { requestId };
  const input = { client: "c", keys, value, ...id };
  const isWord = typeof word === "string" || (typeof word === "object" && "conflict" in word);
  const returned = isWord ? answer(word, value) : word;
  const key = Object.values(keys).join(" ");
  pen.ask(by, "unique.insert", key, input, fromMs, toMs, returned as ReturnType<typeof threw>);
}

function get(
  pen: Pen,
  [name, uniqueKey]: readonly [string, string],
  fromMs: number,
  toMs?: number,
  found?: { keys: Keys; value: string } | ReturnType<typeof threw>,
  by = "a",
): void {
  pen.ask(by, "unique.get", uniqueKey, { name, uniqueKey }, fromMs, toMs, found);
}

judges(unique.uniqueOneValue, {
  allows: {
    "one value for who created it, who asks and who looks"(pen) {
      insert(pen, "1", [BOTH, "x"], 0, 10, "created");
      insert(pen, "1", [BOTH, "x"], 20, 30, "replayed");
      insert(pen, "2", [BOTH, "x"], 20, 30, "exists");
      get(pen, ["phone", "1"], 20, 30, { keys: BOTH, value: "x" });
    },
    "a conflict and open ends"(pen) {
      insert(pen, "1", [BOTH, "x"], 0, 10, "created");
      insert(pen, "2", [ANN, "y"], 20, 30, { conflict: "email" });
      insert(pen, "3", [ANN, "z"], 20, 30, "indeterminate");
      insert(pen, "4", [ANN, "z"], 20);
    },
  },
  forbids: {
    "two values created"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, "created");
      insert(pen, "2", [ANN, "y"], 20, 30, "created");
    },
    "two inserts that share one of their keys"(pen) {
      insert(pen, "1", [BOTH, "x"], 0, 10, "created");
      insert(pen, "2", [ANN, "x"], 20, 30, "exists");
    },
    "another value for who looks"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, "created");
      get(pen, ["email", "ann"], 20, 30, { keys: ANN, value: "y" });
    },
    "another value under the second key"(pen) {
      insert(pen, "1", [BOTH, "x"], 0, 10, "created");
      get(pen, ["phone", "1"], 20, 30, { keys: { phone: "1" }, value: "x" });
    },
  },
});

judges(unique.uniqueOneCreator, {
  allows: {
    "one creator, and others who come too late"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, "created");
      insert(pen, "1", [ANN, "x"], 20, 30, "replayed");
      insert(pen, "2", [ANN, "x"], 20, 30, "exists");
    },
    "an insert without a request id"(pen) {
      insert(pen, undefined, [ANN, "x"], 0, 10, "created");
      insert(pen, undefined, [ANN, "x"], 20, 30, "exists");
    },
  },
  forbids: {
    "two creators of the same content"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, "created");
      insert(pen, "2", [ANN, "x"], 20, 30, "created");
    },
    "two creators without request ids"(pen) {
      insert(pen, undefined, [ANN, "x"], 0, 10, "created");
      insert(pen, undefined, [ANN, "x"], 20, 30, "created");
    },
    "two creators of whom one is told so again"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, "created");
      insert(pen, "2", [ANN, "x"], 20, 30, "replayed");
    },
    "another value than was given"(pen) {
      const input = { client: "c", requestId: "1", keys: ANN, value: "x" };
      pen.ask("a", "unique.insert", "ann", input, 0, 10, { outcome: "created", value: "y" });
    },
  },
});

judges(unique.uniqueAllOrNone, {
  allows: {
    "nothing before, everything after"(pen) {
      get(pen, ["phone", "1"], 0, 15);
      insert(pen, "1", [BOTH, "x"], 0, 10, "created");
      get(pen, ["phone", "1"], 20, 30, { keys: BOTH, value: "x" });
    },
    "nothing, then what landed late"(pen) {
      insert(pen, "1", [BOTH, "x"], 0);
      get(pen, ["phone", "1"], 20, 30);
      get(pen, ["email", "ann"], 40, 50, { keys: BOTH, value: "x" });
    },
    "a look that failed"(pen) {
      insert(pen, "1", [BOTH, "x"], 0, 10, "created");
      get(pen, ["phone", "1"], 20, 30, threw("unavailable"));
      get(pen, ["phone", "1"], 20);
    },
  },
  forbids: {
    "nothing after a creation"(pen) {
      insert(pen, "1", [BOTH, "x"], 0, 10, "created");
      get(pen, ["phone", "1"], 20, 30, undefined);
    },
    "half of an insert that was not known"(pen) {
      insert(pen, "1", [BOTH, "x"], 0);
      get(pen, ["email", "ann"], 20, 30, { keys: BOTH, value: "x" });
      get(pen, ["phone", "1"], 40, 50, undefined);
    },
    "a value of other keys"(pen) {
      get(pen, ["phone", "1"], 40, 50, { keys: ANN, value: "x" });
    },
  },
});

judges(unique.uniqueFromInsert, {
  allows: {
    "what an insert without an answer left"(pen) {
      insert(pen, "1", [ANN, "x"], 0);
      get(pen, ["email", "ann"], 20, 30, { keys: ANN, value: "x" });
    },
    "an insert that exists because of one that is not known"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, "indeterminate");
      insert(pen, "2", [ANN, "x"], 20, 30, "exists");
    },
  },
  forbids: {
    "what a refused insert left"(pen) {
      insert(pen, "1", [BOTH, "x"], 0, 10, { conflict: "email" });
      get(pen, ["phone", "1"], 20, 30, { keys: BOTH, value: "x" });
    },
    "what an insert left that cannot have happened"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, threw("unavailable"));
      get(pen, ["email", "ann"], 20, 30, { keys: ANN, value: "x" });
    },
    "a part of what was inserted"(pen) {
      insert(pen, "1", [BOTH, "x"], 0);
      get(pen, ["email", "ann"], 20, 30, { keys: ANN, value: "x" });
    },
    "what nobody inserted"(pen) {
      insert(pen, "2", [ANN, "x"], 20, 30, "exists");
    },
  },
});

judges(unique.uniqueCreatorRecognised, {
  allows: {
    "replayed after a lost answer"(pen) {
      insert(pen, "1", [ANN, "x"], 0);
      insert(pen, "1", [ANN, "x"], 20, 30, "replayed");
    },
    "conflict with what another inserted"(pen) {
      insert(pen, "1", [ANN, "x"], 0);
      insert(pen, "2", [ANN, "y"], 0, 10, "created");
      insert(pen, "1", [ANN, "x"], 20, 30, { conflict: "email" });
    },
    "exists because of another request"(pen) {
      insert(pen, "2", [ANN, "x"], 0);
      insert(pen, "1", [ANN, "x"], 20, 30, "exists");
    },
    "exists for a second try without a request id"(pen) {
      insert(pen, undefined, [ANN, "x"], 0);
      insert(pen, undefined, [ANN, "x"], 20, 30, "exists");
    },
  },
  forbids: {
    "exists for the creator"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, "created");
      insert(pen, "2", [ANN, "x"], 20, 30, "exists");
      insert(pen, "1", [ANN, "x"], 40, 50, "exists");
    },
    "conflict for the creator"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, "created");
      insert(pen, "1", [ANN, "x"], 20, 30, { conflict: "email" });
    },
    "conflict for a creator whose answer was lost, while its value stands"(pen) {
      insert(pen, "1", [ANN, "x"], 0);
      insert(pen, "1", [ANN, "x"], 20, 30, { conflict: "email" });
      get(pen, ["email", "ann"], 40, 50, { keys: ANN, value: "x" });
    },
    "exists for a creator whose answer was lost"(pen) {
      insert(pen, "1", [ANN, "x"], 0);
      insert(pen, "1", [ANN, "x"], 20, 30, "exists");
    },
  },
});

judges(unique.uniqueConflictIsReal, {
  allows: {
    "conflict with an insert without an answer, named by name or by key"(pen) {
      insert(pen, "1", [BOTH, "x"], 0);
      insert(pen, "2", [ANN, "y"], 20, 30, { conflict: "email" });
      insert(pen, "2", [ANN, "y"], 20, 30, { conflict: "ann" });
    },
    "conflict with the same value under more keys"(pen) {
      insert(pen, "1", [BOTH, "x"], 0, 10, "created");
      insert(pen, "2", [ANN, "x"], 20, 30, { conflict: "email" });
    },
  },
  forbids: {
    "conflict with nothing"(pen) {
      insert(pen, "1", [{ phone: "1" }, "x"], 0, 10, "created");
      insert(pen, "2", [ANN, "y"], 20, 30, { conflict: "email" });
    },
    "the wrong one of two keys"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, "created");
      insert(pen, "2", [BOTH, "y"], 20, 30, { conflict: "phone" });
    },
    "a key that was not given"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, "created");
      insert(pen, "2", [ANN, "y"], 20, 30, { conflict: "phone" });
    },
    "conflict with one who was refused, too"(pen) {
      insert(pen, "1", [ANN, "x"], 0, 10, { conflict: "email" });
      insert(pen, "2", [ANN, "y"], 0, 10, { conflict: "email" });
    },
  },
});

judges(unique.uniqueSettles, {
  allows: {
    "answers in the end"(pen) {
      pen.healed(1_000);
      insert(pen, "1", [ANN, "x"], 2_000, 2_010, "indeterminate", "last");
      insert(pen, "1", [ANN, "x"], 3_000, 3_010, "replayed", "last");
      get(pen, ["email", "ann"], 4_000, 4_010, { keys: ANN, value: "x" }, "last");
    },
  },
  forbids: {
    "an insert without an answer"(pen) {
      pen.healed(1_000);
      insert(pen, "1", [ANN, "x"], 2_000, 2_010, "indeterminate", "last");
    },
    "a look that fails"(pen) {
      pen.healed(1_000);
      get(pen, ["email", "ann"], 4_000, 4_010, threw("unavailable"), "last");
    },
  },
});
