// The README's example, run as it stands on a real Postgres.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { missing, startPostgres } from "@onceproof/test-servers";
import { expect, test, vi } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

test.skipIf(missing("postgres"))("the README's example prints what it says", async () => {
  const text = await readFile(`${root}README.md`, "utf8");
  const code = /^```ts no-run\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? "";
  const server = await startPostgres();
  const folder = `${root}.cache`;
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((value: unknown) => {
    printed.push(inspect(value));
  });
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(
      `${folder}/readme.ts`,
      code.replace("postgres://localhost:5432/postgres", server.url),
    );
    await import(/* @vite-ignore */ `${folder}/readme.ts`);
  } finally {
    log.mockRestore();
    await rm(folder, { recursive: true, force: true });
    await server.stop();
  }
  expect(printed).toEqual([...code.matchAll(/^\/\/ prints: (.*)$/gm)].map((match) => match[1]));
  expect(printed).not.toEqual([]);
});
