// The command as a process, from sources.

import { start } from "../../../src/cli/main.ts";

start();
