// Runs the smoke cases against one build of core. Uses nothing but the language itself, because
// the same file runs in every runtime.

/**
 * @param {Array<{ title: string, run: (core: object) => Promise<void> | void }>} cases
 * @param {object} core the exports of @onceproof/core
 * @returns {Promise<Array<{ title: string, error?: string }>>} one result per case, in order
 */
export async function runCases(cases, core) {
  const results = [];
  for (const { title, run } of cases) {
    try {
      await run(core);
      results.push({ title });
    } catch (error) {
      results.push({ title, error: describe(error) });
    }
  }
  return results;
}

const describe = (error) =>
  error instanceof Error ? (error.stack ?? String(error)) : String(error);
