// `npm run chaos`: one run on a real server, and what its oracles say.
import { runProgram } from "./program.js";

// A process that is told to end keeps nobody waiting for what is still open.
process.exit(await runProgram(process.argv.slice(2)));
