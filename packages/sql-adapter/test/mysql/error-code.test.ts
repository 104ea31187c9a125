// Only what certainly did nothing is told as certain; everything else stays unknown.
import { expect, test } from "vitest";
import { meaning } from "../../src/mysql/error-code.js";

const failure = (errno: number, sqlState: string): Error =>
  Object.assign(new Error("failed"), { errno, sqlState });

// Not null, foreign keys of either side, checks of MariaDB and of MySQL, a trigger's SIGNAL, a number
// out of range, too many columns.
test.each([
  [1048, "23000"],
  [1451, "23000"],
  [1452, "23000"],
  [4025, "23000"],
  [3819, "HY000"],
  [1644, "45000"],
  [1690, "22003"],
  [1136, "21S01"],
])("%i did nothing", (errno, sqlState) => {
  expect(meaning(failure(errno, sqlState))).toMatchObject({ kind: "nothing", again: false });
});

// Shutdown, an error in COMMIT, interrupted, and a number of a driver's own.
test.each([
  [1053, "08S01"],
  [1180, "HY000"],
  [1317, "70100"],
  [1969, "70100"],
  [45_009, "22000"],
])("%i may have been committed", (errno, sqlState) => {
  expect(meaning(failure(errno, sqlState)).kind).toBe("noAnswer");
});
