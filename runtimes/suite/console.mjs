// Entry for runtimes that load modules from files: Node, Bun and Deno.
import * as core from "../../packages/core/dist/index.js";
import { cases } from "./cases.mjs";
import { toLine } from "./result-line.mjs";
import { runCases } from "./run-cases.mjs";

console.log(toLine(await runCases(cases, core)));
