import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerForStore, runCommand, startFakeApi } from './commands.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('an import that broke off in one store is not continued in another', async () => {
  const file = join(folder, 'teas.csv');
  await writeFile(file, 'slug,name,price\nassam,Assam,4.50\nsencha,Sencha,5.50\n');
  // The key of the first store loses its permission for one of the products.
  const api = await startFakeApi((request) =>
    request.key === 'wbk_a' && request.body?.slug === 'sencha'
      ? [403, { error: 'No.', code: 'insufficient_scope' }]
      : answerForStore(request),
  );
  const importWith = (key: string) =>
    runCommand(['products', 'import', file], { folder, env: { WAYBILL_URL: api.url, WAYBILL_API_KEY: key } });
  const writtenWith = (key: string) =>
    api.seen
      .filter((request) => request.key === key && request.target.startsWith('POST'))
      .map(({ body }) => body?.slug)
      .sort();
  try {
    expect((await importWith('wbk_a')).code).toBe(3);
    expect(await readFile(`${file}.waybill-import`, 'utf8')).toMatch(/^[0-9a-f]{64}\nassam\n$/);
    expect((await importWith('wbk_b')).code).toBe(0);
    expect(writtenWith('wbk_b')).toEqual(['assam', 'sencha']);
  } finally {
    api.close();
  }
});

test('an export for programs is JSON lines on standard output, unless another format is asked for', async () => {
  const api = await startFakeApi(answerForStore);
  const env = { WAYBILL_URL: api.url, WAYBILL_API_KEY: 'wbk_a' };
  const run = (...args: string[]) => runCommand(['products', 'export', ...args], { folder, env });
  try {
    const { stdout } = await run('--json');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).slug),
    ).toEqual(['earl-grey']);
    expect((await run()).stdout).toMatch(/^\uFEFFslug,/);
    expect((await run('--json', '--format', 'csv')).stdout).toMatch(/^\uFEFFslug,/);
    expect(JSON.parse((await run('--json', '--out', 'all.csv')).stdout)).toMatchObject({ products: 1 });
    expect(await readFile(join(folder, 'all.csv'), 'utf8')).toMatch(/^\uFEFFslug,/);
  } finally {
    api.close();
  }
});
