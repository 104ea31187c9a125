// Simulates both handlers, prints what was found, and writes a page with the diagrams.

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { simulateProtected, simulateUnprotected } from "./simulations.js";

const file = resolve(process.argv[2] ?? "simulation.html");

const unprotected = await simulateUnprotected();
console.log(`As it is often written: ${unprotected}\n`);

const protectedOne = await simulateProtected();
console.log(`Inside createDedup: ${protectedOne}\n`);

await writeFile(file, unprotected.toHtml());
console.log(`The diagrams: ${file}`);

// What this example is there to show: the first is found wrong, the second is not.
process.exitCode = !unprotected.ok && protectedOne.ok ? 0 : 1;
