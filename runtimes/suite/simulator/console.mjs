// Entry that is bundled into one module for Node, Bun and Deno.
import { toLine } from "../result-line.mjs";
import { runCases } from "../run-cases.mjs";
import { cases } from "./cases.mjs";

console.log(toLine(await runCases(cases)));
