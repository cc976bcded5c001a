import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { newPerson } from '../testing/accounts.ts';
import { type StartedSystem, topologies, unlimited } from './e2e/topologies.ts';
import { isInstalled, run } from './programs.ts';

/** Longer than a busy machine with two cores needs for 25,000 calls. */
const limitMs = 2_400_000;
const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * Two checks are missing: that allowed requests are accepted, and that forbidden ones are refused. Rules that no schema
 * can express, such as uniqueness, refuse allowed requests; leniency with query parameters (`decisions.md 3.4`) accepts
 * forbidden ones.
 */
const checks = [
  ...['fails_only_when_busy', 'status_code_conformance', 'content_type_conformance'],
  ...['response_headers_conformance', 'response_schema_conformance', 'allow_header_conformance'],
  ...['unsupported_method', 'ignored_auth', 'missing_required_header', 'use_after_free'],
];

const hasSchemathesis = await isInstalled('schemathesis');
if (!hasSchemathesis) console.log('left out, as it is not on the PATH: schemathesis');

(hasSchemathesis ? test : test.skip)(
  'Schemathesis finds no answer that the API document does not describe',
  async () => {
    const system = await topologies[0]!.start({ ...unlimited, WAYBILL_DEMO: 'full' });
    try {
      const env = {
        ...process.env,
        PYTHONPATH: here,
        PYTHONDONTWRITEBYTECODE: '1',
        SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
        WAYBILL_WORLD: JSON.stringify(await describeWorld(system)),
      };
      const phases = ['--phases', 'examples,coverage,fuzzing', '--max-examples', '5', '--seed', '1'];
      const args = ['run', `${system.baseUrl}/openapi.json`, ...phases, '--checks', checks.join()];
      const limits = ['--suppress-health-check', 'all'];
      const output = [
        ...limits,
        '--continue-on-failure',
        '--warnings',
        'off',
        '--workers',
        '2',
        '--no-color',
      ];
      const printed = await run('schemathesis', [...args, ...output], { cwd: system.dataDir, env });
      expect(printed).toMatch(/Tested: \d{3}/);
    } finally {
      await system.stop();
      await rm(system.dataDir, { recursive: true, force: true });
    }
  },
  limitMs,
);

/** Returns the callers and the items that `schemathesis_hooks.py` uses. */
async function describeWorld({ baseUrl, demo }: StartedSystem) {
  const { email, password } = await newPerson(baseUrl, 'Leaver');
  const { merchant, developer, reviewer, apiKey, storeId, storeSlug } = demo;
  return {
    baseUrl,
    key: apiKey,
    people: { merchant, developer, reviewer, leaver: { email, password } },
    paths: { storeId, storeSlug },
  };
}
