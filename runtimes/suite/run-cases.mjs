// Runs the cases of a suite. Uses nothing but the language and setTimeout,
// because the same file runs in every runtime.

/**
 * @param {Array<{ title: string, run: (core: object) => unknown }>} cases
 * @param {object} [core] the exports of @onceproof/core
 * @returns {Promise<Array<{ title: string, value?: unknown, error?: string }>>} one result per case,
 *   in order; `value` is what it returned
 */
export async function runCases(cases, core) {
  const results = [];
  for (const { title, run } of cases) {
    try {
      const value = await withinLimit(run(core));
      results.push(value === undefined ? { title } : { title, value });
    } catch (error) {
      results.push({ title, error: describe(error) });
    }
  }
  return results;
}

const describe = (error) =>
  error instanceof Error ? (error.stack ?? String(error)) : String(error);

const CASE_LIMIT_MS = 10_000;

function withinLimit(work) {
  let timer;
  const limit = new Promise((_, reject) => {
    const error = new Error(`not done after ${CASE_LIMIT_MS} ms`);
    timer = setTimeout(() => reject(error), CASE_LIMIT_MS);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
