// Tokens: stored and signed, consumed once.
import { failsWith, holds, same } from "../expect.mjs";

const secret = "a secret of at least thirty-two bytes";
const kinds = {
  stored: {},
  signed: { signing: [{ kid: "k1", secret }] },
};

export const tokenCases = Object.entries(kinds).flatMap(([kind, options]) => [
  {
    title: `tokens, ${kind}: one request consumes, the same one again, and no other`,
    async run(core) {
      const tokens = core.createTokens({
        store: core.createMemoryStore(),
        name: "form",
        ...options,
      });
      const token = await tokens.issue("session-1");
      const consume = (subject, requestId) => tokens.consume(token, subject, { requestId });
      same((await consume("session-2", "a")).outcome, "invalid", "another subject");
      same(await consume("session-1", "a"), { outcome: "consumed", replayed: false });
      same(await consume("session-1", "a"), { outcome: "consumed", replayed: true });
      same((await consume("session-1", "b")).outcome, "used");
      same((await tokens.consume(`${token}x`, "session-1")).outcome, "invalid", "forged");
      holds((await tokens.issue("session-1")) !== token, "tokens differ");
    },
  },
  {
    title: `tokens, ${kind}: run executes once for every holder`,
    async run(core) {
      const tokens = core.createTokens({
        store: core.createMemoryStore(),
        name: "form",
        onCrash: "park",
        ...options,
      });
      const token = await tokens.issue("session-1");
      let runs = 0;
      const submit = () => tokens.run(token, "session-1", () => ++runs);
      same(await Promise.all([submit(), submit()]), [1, 1]);
      await failsWith("tokenInvalid", () => tokens.run(token, "session-2", () => ++runs));
      same(runs, 1, "runs");
    },
  },
]);
