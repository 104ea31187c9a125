// A worker that dies, falls silent or fails, as the seed of its task says.

// The pool may be closed already, or about to be: nobody is left to be told then.
const say = (message) => {
  if (process.connected) {
    process.send(message, undefined, undefined, () => {});
  }
};

process.on("error", () => {});
process.on("message", ({ say: asked, id, task }) => {
  if (asked !== "do") {
    return;
  }
  const { seed } = task;
  if (seed === 1) {
    process.exit(7);
  } else if (seed === 2) {
    for (;;) {}
  } else if (seed === 3) {
    say({ say: "failed", id, message: "on purpose" });
  } else if (seed === 4) {
    // Not answered until it is told to stop.
    say({ say: "plans", id, plans: 5 });
    process.once("message", () => say({ say: "done", id, answer: { plans: 5 } }));
  } else {
    say({ say: "done", id, answer: { plans: seed, pid: process.pid } });
  }
});
process.on("disconnect", () => process.exit(0));
if (process.connected) {
  say({ say: "ready" });
} else {
  process.exit(0);
}
