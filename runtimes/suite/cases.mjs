// The smoke cases: what must work in every runtime. Each takes the exports of @onceproof/core.
import { dedupCases } from "./cases/dedup.mjs";
import { entityCases } from "./cases/entities.mjs";
import { lockAndFenceCases } from "./cases/lock-and-fence.mjs";
import { tokenCases } from "./cases/tokens.mjs";

export const cases = [...dedupCases, ...lockAndFenceCases, ...tokenCases, ...entityCases];
