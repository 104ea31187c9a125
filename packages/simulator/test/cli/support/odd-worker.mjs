// A worker that dies, falls silent or fails, as the seed of its task says.

process.on("message", ({ say, id, task }) => {
  if (say !== "do") {
    return;
  }
  const { seed } = task;
  if (seed === 1) {
    process.exit(7);
  } else if (seed === 2) {
    for (;;) {}
  } else if (seed === 3) {
    process.send({ say: "failed", id, message: "on purpose" });
  } else if (seed === 4) {
    // Not answered until it is told to stop.
    process.send({ say: "plans", id, plans: 5 });
    process.once("message", () => process.send({ say: "done", id, answer: { plans: 5 } }));
  } else {
    process.send({ say: "done", id, answer: { plans: seed, pid: process.pid } });
  }
});
process.on("disconnect", () => process.exit(0));
process.send({ say: "ready" });
