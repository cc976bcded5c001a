import { readFileSync } from 'node:fs';

/** The suites of this run that use a shared system, by path, as long as they have not ended. */
const users = new Set();

/** Told of all suites before the first begins. */
export function expectShared(paths) {
  for (const path of paths) if (/\bshare\b/.test(readFileSync(path, 'utf8'))) users.add(path);
}

/**
 * Stops the shared systems with the last suite that uses them: ten processes that only wait take a tenth of a core from
 * the many small suites that come after.
 */
export default class StopSharedSystems {
  async onTestFileResult({ path }, { numFailingTests }) {
    if (!users.delete(path)) return;
    // What a suite sees of an error of the server is that there was one.
    if (numFailingTests > 0)
      for (const line of await globalThis.lastFailuresOfSharedSystems()) process.stderr.write(`${line}\n`);
    // The run's end waits for it, and says what failed: jest would keep a worker waiting.
    if (users.size === 0) globalThis.stopSharedSystems().catch(() => {});
  }
}
