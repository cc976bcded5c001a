import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Suites of each kind: statements, lists, events, publishing, money. All others run on a cluster as well. */
const suites = [
  'deploy/test/architecture/statements.test.ts',
  'services/catalog/test/search.test.ts',
  'services/content/test/publishing.test.ts',
  'services/orders/test/expiry.test.ts',
  'services/webhooks/test/scheduled-calls.test.ts',
];

const limitMs = 900_000;
const hasCluster = process.env.WAYBILL_TEST_CITUS && process.env.WAYBILL_TEST_CITUS_WORKERS;
if (!hasCluster)
  console.log(
    'left out, as WAYBILL_TEST_CITUS and WAYBILL_TEST_CITUS_WORKERS name no cluster: suites on Citus',
  );

const launch = fileURLToPath(new URL('../launch.mjs', import.meta.url));

async function run(task: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, DATABASE_URL: process.env.WAYBILL_TEST_CITUS };
  const child = spawn(process.execPath, [launch, task, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], ...output] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, output: output.join('\n').slice(-20_000) };
}

(hasCluster ? describe : describe.skip)('on a Citus cluster', () => {
  test.each(suites)(
    '%s passes',
    async (suite) => {
      expect(await run('test', suite)).toEqual({ code: 0, output: expect.anything() });
    },
    limitMs,
  );

  test(
    'a shop that moves to other workers while it sells loses nothing',
    async () => {
      const { code, output } = await run(
        'chaos',
        '--move',
        '2',
        '--seconds',
        '20',
        '--events',
        '250',
        '--seed',
        '52',
      );
      expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/violations +0\n/) });
    },
    limitMs,
  );
});
