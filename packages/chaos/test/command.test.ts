// The command's answers to what cannot be carried out, before any server is started.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runProgram } from "../src/cli/program.js";

const folder = mkdtempSync(join(tmpdir(), `onceproof-command-${process.pid}-`));
beforeEach(() => mkdirSync(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  { args: ["--nope"], says: "unknown option" },
  { args: ["more"], says: "too many arguments" },
  { args: ["--store", "file"], says: "Allowed choices are redis, postgres" },
  { args: ["--faults", "terminate"], says: "there are cut, lose" },
  { args: ["--store", "sqlite", "--faults", "cut"], says: "there are crash, freeze" },
  { args: ["--workloads", "nap"], says: "there are contract" },
  { args: ["--minutes", "0"], says: "above 0" },
  { args: ["--seed", "x"], says: "whole number" },
  { args: ["--judge", folder], says: "holds no kept run" },
  { args: ["--keep", folder], says: "is not empty" },
])("$args is bad usage, and says why", async ({ args, says }) => {
  writeFileSync(join(folder, "kept"), "", { flag: "a" });
  let said = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said += String(text);
    return true;
  });
  expect(await runProgram(args)).toBe(2);
  expect(said).toContain(says);
});

test("--help tells every fault, and is no failure", async () => {
  let said = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    said += String(text);
    return true;
  });
  expect(await runProgram(["--help"])).toBe(0);
  for (const fault of ["cut", "freeze", "jump", "flush", "terminate"])
    expect(said).toContain(fault);
});
