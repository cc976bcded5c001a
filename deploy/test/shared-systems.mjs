import { readFileSync } from 'node:fs';

/** The suites of this run that use a shared system and have not ended, by path. */
const users = new Set();

/** Receives the paths of all suites before the first begins. */
export function expectShared(paths) {
  for (const path of paths) if (/\bshare\b/.test(readFileSync(path, 'utf8'))) users.add(path);
}

/**
 * Stops the shared systems after the last suite that uses them: ten idle processes would take a tenth of a core from
 * the many small suites that follow.
 */
export default class StopSharedSystems {
  async onTestFileResult({ path }, { numFailingTests }) {
    if (!users.delete(path)) return;
    // A suite sees only that the server had an error, so the server's log lines are printed here.
    if (numFailingTests > 0)
      for (const line of await globalThis.lastFailuresOfSharedSystems()) process.stderr.write(`${line}\n`);
    // The run's end awaits the stop and reports its failure; awaiting it here would block a worker.
    if (users.size === 0) globalThis.stopSharedSystems().catch(() => {});
  }
}
