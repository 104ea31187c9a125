import { expect, test } from "vitest";
import {
  findAnswer,
  logId,
  logRequest,
  type RequestLog,
  requestIdOf,
  requestsOf,
} from "../src/shared/request-log.js";

const EMPTY: RequestLog = { lines: "", count: 0, dropped: -1 };
const AMPLE = { requests: 100, bytes: 100_000 };

function fill(count: number, limits: { requests: number; bytes: number }): RequestLog {
  let log = EMPTY;
  for (let index = 0; index < count; index += 1) {
    log = logRequest(log, [logId(`r${index}`, ""), index * 10, `answer ${index}`], limits);
  }
  return log;
}

test("a logged request is found, another is not", () => {
  const log = fill(3, AMPLE);
  expect(findAnswer(log, logId("r1", ""))).toBe("answer 1");
  expect(findAnswer(log, logId("r3", ""))).toBeUndefined();
  expect(log.dropped).toBe(-1);
});

test("a caller's id never meets the opId of an unnamed request", () => {
  const log = logRequest(EMPTY, [logId(undefined, "op"), 1, "unnamed"], AMPLE);
  expect(findAnswer(log, logId("op", ""))).toBeUndefined();
  expect(findAnswer(log, logId("~op", ""))).toBeUndefined();
  expect(findAnswer(log, logId(undefined, "op"))).toBe("unnamed");
  expect(requestIdOf(logId(undefined, "op"))).toBeUndefined();
  expect(requestIdOf(logId("=~", ""))).toBe("=~");
});

test("beyond the count the oldest are dropped, and the largest base of them is kept", () => {
  const log = fill(5, { requests: 2, bytes: 100_000 });
  expect(requestsOf(log).map(([id]) => id)).toEqual(["=r3", "=r4"]);
  expect(log.dropped).toBe(20);
});

test("beyond the bytes too, but the latest stays whatever it takes", () => {
  const size = JSON.stringify(["=r0", 10, "answer 0"]).length + 1;
  expect(fill(9, { requests: 100, bytes: 3 * size }).count).toBe(3);
  const tight = fill(9, { requests: 100, bytes: 1 });
  expect(requestsOf(tight).map(([id]) => id)).toEqual(["=r8"]);
  expect(tight.dropped).toBe(70);
});

test("both bounds hold together, and bytes are counted as UTF-8", () => {
  const wide = ["=é€😀", 5, "ü"] as const;
  const bytes = new TextEncoder().encode(JSON.stringify(wide)).length + 1;
  const three = { requests: 3, bytes: 1_000 };
  let log = EMPTY;
  for (let added = 0; added < 3; added += 1) {
    log = logRequest(log, wide, three);
  }
  expect(logRequest(log, wide, { requests: 9, bytes: 4 * bytes }).count).toBe(4);
  expect(logRequest(log, wide, { requests: 9, bytes: 4 * bytes - 1 }).count).toBe(3);
  expect(logRequest(log, wide, { requests: 2, bytes: 3 * bytes }).count).toBe(2);
});
