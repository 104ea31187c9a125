// The part `unit`: everything that vitest runs, the tests on real servers included.
import { ensureServers } from "../servers.mjs";
import { runVitest } from "./vitest.mjs";

const unitServers = [
  ...["redis", "valkey", "postgres", "pgbouncer", "mariadb"],
  ...["compiler", "chromium"],
];

export const unit = {
  name: "unit",
  summary: "unit, property and integration tests (vitest)",
  minutes: 10,
  needsBuild: false,
  async run(flags) {
    const missing = await ensureServers(unitServers);
    const tally = await runVitest("unit", flags);
    const reasons = missing.map(({ name, reason }) => `${name}: ${reason}`);
    return { ...tally, skips: [...reasons, ...tally.skips] };
  },
};
