// The pages of docs/mutants are what the mutants do today: every family has a page, every mutant is
// listed, each shown run violates what its page says, and core as it is does not. `-u` renews them.

import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { loadMutants } from "../../packages/simulator/src/mutants/index.ts";
import {
  diagramOf,
  FAMILIES,
  familiesTable,
  mutantsTable,
  playShown,
  renewed,
  runText,
} from "./mutant-pages.ts";
import { SHOWN } from "./mutant-runs.ts";

const folder = fileURLToPath(new URL("../mutants/", import.meta.url));
const MAX_DIAGRAM_BYTES = 40_000;
/** The first one after a change of core bundles every mutant, perhaps on a busy machine. */
const PATIENCE_MS = 240_000;

describe("the pages of mutants", () => {
  beforeAll(() => loadMutants(), PATIENCE_MS);

  it("are those of the families, and no others", async () => {
    const expected = FAMILIES.flatMap((family) => [`${family}.md`, `${family}.svg`]);
    expect((await readdir(folder)).sort()).toEqual(["README.md", ...expected].sort());
  });

  it("have an index that counts every mutant", async () => {
    const page = await readFile(`${folder}README.md`, "utf8");
    const text = renewed(page, { families: familiesTable(await loadMutants()) });
    await expect(text).toMatchFileSnapshot(`${folder}README.md`);
  });

  describe.each(FAMILIES)("%s", (family) => {
    it("shows a run that violates its guarantee, and that core as it is survives", async () => {
      const { guarantee, broken, correct, spec } = await playShown(family);
      expect(broken.violations.map((each) => each.guarantee)).toContain(guarantee);
      expect(correct.violations.map((each) => each.guarantee)).not.toContain(guarantee);
      expect(broken.struck).toEqual(spec.plan);
    });

    it("is as its mutants are", async () => {
      const played = await playShown(family);
      const mutants = await loadMutants();
      expect(mutants.find(({ id }) => id === SHOWN[family].mutant)?.family).toBe(family);
      const page = await readFile(`${folder}${family}.md`, "utf8");
      const text = renewed(page, {
        run: runText(family, played),
        mutants: mutantsTable(mutants, family),
      });
      const diagram = diagramOf(played);
      expect(Buffer.byteLength(diagram)).toBeLessThan(MAX_DIAGRAM_BYTES);
      await expect(text).toMatchFileSnapshot(`${folder}${family}.md`);
      await expect(diagram).toMatchFileSnapshot(`${folder}${family}.svg`);
    });
  });
});
