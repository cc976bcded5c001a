import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkProject } from '../src/project.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the command line as a separate process in an empty home. */
function waybill(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, '.config'),
    WAYBILL_URL: '',
    WAYBILL_API_KEY: '',
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env, cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/** Creates an app with `init` and replaces one text of a file. */
async function appWith(file: string, from: string | RegExp, to: string): Promise<string> {
  const app = join(folder, 'app');
  await waybill('init', 'app');
  const path = join(app, file);
  const text = await readFile(path, 'utf8');
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  await writeFile(path, changed);
  return app;
}

const listProblems = async (app: string) =>
  (await checkProject(app)).problems.map(
    ({ file, line, column, code }) => `${file}:${line}:${column} ${code}`,
  );

test('an app that was just begun has no problem, and is not begun over another', async () => {
  expect((await waybill('init', 'app')).code).toBe(0);
  expect(await waybill('app', 'check', 'app')).toMatchObject({ code: 0, stdout: 'No problems found.\n' });
  const again = await waybill('init', 'app');
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is not empty')]);
});

test('what is to be done next can be copied, whatever the folder is called', async () => {
  expect((await waybill('init', "Ann's app")).stdout).toContain(`cd 'Ann'\\''s app' && waybill app dev`);
});

test('a problem is shown where it stands in its file, for people and for programs', async () => {
  const app = await appWith('blocks.json', '"heading"', '"headin"');
  const lines = (await readFile(join(app, 'blocks.json'), 'utf8')).split('\n');
  const line = lines.findIndex((each) => each.includes('"headin"'));
  const position = `blocks.json:${line + 1}:${lines[line]!.indexOf('"type"') + 1}`;
  const output = await waybill('app', 'check', 'app');
  expect(output).toMatchObject({ code: 1, stdout: '' });
  expect(output.stderr).toContain(
    `${position}  /blocks/0/nodes/1/type is no element type (did you mean heading?)  [unknown_element_type]`,
  );
  const { stdout } = await waybill('--json', 'app', 'check', 'app');
  expect(JSON.parse(stdout).problems).toMatchObject([
    { file: 'blocks.json', line: line + 1, code: 'unknown_element_type', pointer: '/blocks/0/nodes/1/type' },
  ]);
});

test('a module that is no JavaScript is refused with the place of the fault', async () => {
  const app = join(folder, 'app');
  await waybill('init', 'app');
  await writeFile(join(app, 'islands', 'broken.js'), 'export const one = 1;\nclass {{{ nope(\n');
  expect(await listProblems(app)).toContain('islands/broken.js:2:7 island_module_syntax');
});

test.each([
  ['what is no JSON', 'blocks.json', '"blocks": [', '"blocks" [', 'invalid_json'],
  ['a comment', 'waybill.json', '{', '{ // why', 'invalid_json'],
  ['no list of blocks', 'blocks.json', '"blocks"', '"block"', 'invalid_body'],
  [
    'an island that no file is for',
    'blocks.json',
    '"island": "clicks"',
    '"island": "click"',
    'unknown_island',
  ],
  ['an app without a name', 'waybill.json', /"name": "[^"]*"/, '"name": ""', 'invalid_body'],
  ['scopes that are no list', 'waybill.json', /"scopes": \[[^\]]*\]/, '"scopes": "all"', 'invalid_body'],
  ['a scope that does not exist', 'waybill.json', 'appdata.read', 'appdata.reed', 'invalid_body'],
  ['a redirect to no address', 'waybill.json', 'http://127.0.0.1:3000', 'nope', 'invalid_body'],
  [
    'an origin with a path',
    'waybill.json',
    '"connectOrigins": []',
    '"connectOrigins": ["https://a.example/b"]',
    'invalid_body',
  ],
  ['an empty module', 'islands/clicks.js', /^.*$/s, '', 'island_module_not_text'],
])('%s is found', async (_, file, from, to, code) => {
  const app = await appWith(file, from, to);
  const problems = await listProblems(app);
  expect(problems.map((problem) => problem.split(' ')[1])).toContain(code);
  expect(problems.every((problem) => /^[\w./]+:\d+:\d+ /.test(problem))).toBe(true);
});

test('what breaks the syntax of a file is one sentence, and a bad name is reported at its file', async () => {
  const app = await appWith('blocks.json', '"blocks": [', '"blocks" [');
  await writeFile(join(app, 'islands', 'Bad Name.js'), '');
  const broken = await waybill('app', 'check', 'app');
  expect(broken.stderr).toContain('a colon is missing here');
  await writeFile(join(app, 'blocks.json'), '{"blocks":[]}');
  const named = await waybill('app', 'check', 'app');
  expect(named.stderr).toContain('islands/Bad Name.js:1:1  must be');
});

test('what is used wrongly says how it is used', async () => {
  const cases: [string[], number, RegExp][] = [
    [['app', 'check'], 2, /waybill init/],
    [['products'], 2, /export/],
    [['bogus'], 2, /unknown command/],
    [['api', 'get', '/products'], 3, /waybill login/],
    [['login'], 2, /--stdin/],
    [['whoami', '--url', 'ftp://127.0.0.1'], 2, /not the address of a server/],
    [['deliveries', 'tail', 'whe_1', '--status', 'nope'], 2, /Allowed choices/],
    [['app', 'dev', '--forward-to', 'localhost:3000/webhooks'], 2, /no address that can be called/],
    [['--help'], 0, /^$/],
  ];
  const output = await Promise.all(cases.map(([args]) => waybill(...args)));
  for (const [i, [, code, text]] of cases.entries()) {
    expect(output[i]!.code).toBe(code);
    expect(output[i]!.stderr).toMatch(text);
  }
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a result that finds no room on the disk is told of', async () => {
  const command = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, main, 'init', 'app'];
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile('sh', command, { cwd: folder }, (error, _, stderr) => resolve({ code: error?.code, stderr }));
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('no space left')]);
});

test('the shell completes commands', async () => {
  const { stdout } = await waybill('complete', '--', 'app', '');
  expect(stdout).toMatch(/^check\t/m);
  expect((await waybill('complete', 'bash')).stdout).toContain('waybill');
});
