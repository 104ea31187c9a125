// The one entry behind every npm script: checks Node, prepares the workspace, runs a task.
// Written in old syntax, and loading the rest late, so that an old Node still prints why it fails.

const OLDEST = [20, 19];

const version = process.versions.node.split(".").map(Number);
if (version[0] < OLDEST[0] || (version[0] === OLDEST[0] && version[1] < OLDEST[1])) {
  console.error(
    "Onceproof needs Node " +
      OLDEST.join(".") +
      " or newer; this is Node " +
      process.versions.node +
      ".\nInstall a newer one (https://nodejs.org), then run this again.",
  );
  process.exit(1);
}

import("./lib/main.mjs")
  .then((main) => main.main(process.argv.slice(2)))
  .catch((error) => {
    console.error(error);
    process.exit(1);
  });
