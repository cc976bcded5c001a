import { readFileSync } from 'node:fs';

/** The suites of this run that use a shared system and have not ended, by topology. */
const users = { standalone: new Set(), cluster: new Set() };

/** The topology of suites that use only one. */
const one = process.env.WAYBILL_TEST_CITUS ? 'cluster' : 'standalone';

/** Returns the topologies whose shared systems a suite uses. */
function readTopologies(path) {
  const code = readFileSync(path, 'utf8').replace(/^import [^;]+;$/gm, '');
  if (!/\bshare\b/.test(code)) return [];
  if (/\btopologies\b/.test(code)) return Object.keys(users);
  return /\boneTopology\b/.test(code) ? [one] : [];
}

/** Receives the paths of all suites before the first begins. */
export function expectShared(paths) {
  for (const path of paths) for (const topology of readTopologies(path)) users[topology].add(path);
}

/** Whether a suite uses the shared cluster. Receives only paths that `expectShared` has received. */
export const usesCluster = (path) => users.cluster.has(path);

/**
 * Stops each shared system after the last suite that uses it: ten idle processes would take a tenth of a core from the
 * suites that follow.
 */
export default class StopSharedSystems {
  async onTestFileResult({ path }, { numFailingTests }) {
    const used = Object.keys(users).filter((topology) => users[topology].delete(path));
    if (used.length === 0) return;
    // A suite sees only that the server had an error, so the server's log lines are printed here.
    if (numFailingTests > 0)
      for (const line of await globalThis.lastFailuresOfSharedSystems()) process.stderr.write(`${line}\n`);
    // The run's end awaits the stop and reports its failure; awaiting it here would block a worker.
    for (const topology of used)
      if (users[topology].size === 0) globalThis.stopSharedSystems([topology]).catch(() => {});
  }
}
