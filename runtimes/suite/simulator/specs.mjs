// Fixed runs of the simulator, whose traces must hash alike in every runtime: each workload under
// each of these plans.

const at = (from, nth, fault, to = "store") => ({ from, to, nth, ...fault });

const plans = {
  "no fault": [],
  "crashes at both phases": [
    at("api-1", 2, { fault: "crash", phase: "send", forMs: 40 }),
    at("api-2", 3, { fault: "crash", phase: "reply", forMs: 2_000 }),
  ],
  "pauses and a suspension": [
    at("api-1", 2, { fault: "pause", phase: "reply", forMs: 1_700 }),
    at("api-2", 2, { fault: "suspend", phase: "send", forMs: 900.5 }),
  ],
  "lost, held and doubled messages": [
    at("api-1", 1, { fault: "holdRequest", forMs: 333.3 }),
    at("api-1", 3, { fault: "dropReply" }),
    at("api-2", 1, { fault: "duplicate", afterMs: 7.7 }),
    at("api-1", 1, { fault: "holdReply", forMs: 150 }, "bank"),
  ],
  "clocks that jump, a store that loses": [
    at("api-1", 1, { fault: "jumpClock", byMs: -30_000.25 }),
    at("api-2", 2, { fault: "jumpStoreClock", byMs: -2_500.125 }),
    at("api-1", 3, { fault: "failover", phase: "apply", loses: 1, lagMs: 250 }),
    at("api-2", 3, { fault: "cut", legs: "both", forMs: 450 }),
  ],
};

const workloads = ["double-click", "steps", "rejection", "errors"];

/** The runs, each with the policy and the kind of bank that its scenario is built with. */
export const runs = workloads.flatMap((workload, row) =>
  Object.entries(plans).map(([title, plan], column) => ({
    title: `the run "${workload}" under ${title}`,
    variant: {
      policy: ["park", "rerun", "verify"][(row + column) % 3],
      bank: ["naive", "childKey", "fenced"][column % 3],
    },
    spec: {
      scenario: "dedup/any",
      profile: "durable",
      workload,
      seed: 1_000 + 10 * row + column,
      plan,
    },
  })),
);
