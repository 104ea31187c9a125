#!/usr/bin/env node
// The command. Apart from what the build makes, so that installing the workspace finds it before.

import { start } from "../dist/cli/main.js";

start();
