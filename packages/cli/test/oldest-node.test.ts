import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buildSdk } from '@waybill/sdk/package-files';
import { eventually } from '@waybill/testing';
import { buildCli } from '../package-files.ts';
import { answerForStore, runCommand, startFakeApi } from './commands.ts';

/** Features of newer versions of Node.js, which 20.12 lacks; the bundler only translates syntax. */
const newerFeatures: readonly RegExp[] = [
  /\b(?:Map|Object)\.groupBy\b/,
  /\bURL\.parse\b/,
  /\bPromise\.(?:withResolvers|try)\b/,
  /\bArray\.fromAsync\b/,
  /\bRegExp\.escape\b/,
  /\bError\.isError\b/,
  /\bMath\.(?:sumPrecise|f16round)\b/,
  /\b(?:Iterator|Float16Array|WebSocket|EventSource|CloseEvent|Storage|navigator|localStorage)\b(?=[.([])/,
  /\bIntl\.DurationFormat\b/,
  // Methods of iterators.
  /(?<!\bObject)\.(?:values|keys|entries|matchAll)\([^()]*\)\s*\.(?!next\b)[a-z]/,
  // Methods of sets.
  /\.(?:union|intersection|difference|symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom)\(/,
  // Methods of byte arrays and maps.
  /\.(?:toBase64|fromBase64|setFromBase64|toHex|fromHex|setFromHex|getOrInsert(?:Computed)?)\(/,
  // Modifiers inside of a regular expression.
  /\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):/,
  // Node.js itself.
  /\b(?:globSync|getBuiltinModule|stripTypeScriptTypes|getCallSites?|crc32|zstd\w*|getSystemErrorMessage)\b/,
  /\bimport\.meta\.main\b/,
  /\bfs\w*\.glob\b/,
  /["']node:(?:sqlite|sea)["']/,
];

test.each([
  ['command line', buildCli, 'waybill.js'],
  ['SDK', buildSdk, 'index.js'],
])('the published %s uses nothing that Node.js 20.12 lacks', async (_, build, name) => {
  const lines = Buffer.from((await build()).files.get(name)!)
    .toString()
    .split('\n');
  const code = lines.filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line));
  expect(code.length).toBeGreaterThan(100);
  expect(code.filter((line) => newerFeatures.some((feature) => feature.test(line)))).toEqual([]);
});

/** A Node.js 20 of this machine, if it has one. */
const oldestNode = process.env
  .PATH!.split(delimiter)
  .map((path) => join(path, 'node'))
  .find((node) => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v20.'));

(oldestNode ? describe : describe.skip)('the command line with Node.js 20', () => {
  let folder: string;
  let program: [node: string, script: string];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waybill-cli-'));
    program = [oldestNode!, join(folder, 'waybill.mjs')];
    await writeFile(program[1], (await buildCli()).files.get('waybill.js')!);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('imports and exports products', async () => {
    const api = await startFakeApi(answerForStore);
    const env = { WAYBILL_URL: api.url, WAYBILL_API_KEY: 'wbk_a' };
    await writeFile(join(folder, 'teas.csv'), 'name,status,price\nEarl Grey,active,\nSencha,active,5.50\n');
    try {
      const imported = await runCommand(['--json', 'products', 'import', 'teas.csv'], {
        folder,
        env,
        program,
      });
      expect(imported).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('means earl-grey by its name'),
      });
      expect(JSON.parse(imported.stdout)).toMatchObject({ created: 1, kept: 1, refused: 0 });
      const exported = await runCommand(['products', 'export'], { folder, env, program });
      expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining('Earl Grey') });
    } finally {
      api.close();
    }
  });

  test('begins and checks an app', async () => {
    expect(await runCommand(['init', 'app'], { folder, program })).toMatchObject({ code: 0 });
    const settings = join(folder, 'app/waybill.json');
    const text = await readFile(settings, 'utf8');
    const check = async (origin: string) => {
      const origins = `"connectOrigins": ["${origin}"]`;
      await writeFile(settings, text.replace('"connectOrigins": []', origins));
      return runCommand(['app', 'check', 'app'], { folder, program });
    };
    expect(await check('https://api.example.com')).toMatchObject({ code: 0, stderr: '' });
    expect(await check('https://api.example.com/path')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('must be an https origin'),
    });
  });

  test('signs in through the browser', async () => {
    const env = { ...process.env, XDG_CONFIG_HOME: folder, BROWSER: 'true', XDG_CURRENT_DESKTOP: '' };
    const [node, script] = program;
    const command = execFile(node, [script, 'login', '--browser', '--url', 'http://127.0.0.1:9'], { env });
    let output = '';
    command.stderr!.on('data', (text) => {
      output += text;
    });
    const ended = once(command, 'close');
    try {
      await eventually(() => output.includes('/console/login-code?'));
      const loginUrl = new URL(/\S+\/console\/login-code\S+/.exec(output)![0]);
      const { port, state } = Object.fromEntries(loginUrl.searchParams);
      expect((await fetch(`http://127.0.0.1:${port}/?state=${state}`)).status).toBe(200);
      await ended;
      expect(output).toContain('You declined the sign-in in the browser.');
    } finally {
      command.kill();
    }
  });
});
