import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type SharedSystem, topologies } from './topologies.ts';

/** Runs a program; if it fails, the error contains its output. */
const run = (program: string, args: readonly string[], options = {}) =>
  promisify(execFile)(program, args, options).catch((error) => {
    throw new Error(`${error.message}${error.stdout}`);
  });
const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));

/** Returns the folder in which a library of the SDK is installed here. */
function folderOf(library: string): string {
  const sdk = createRequire(new URL('../../../packages/sdk/package.json', import.meta.url));
  const [found] = sdk.resolve.paths(library)!;
  return join(found!, library);
}

const program = `import { createClient, isWaybillError } from '@waybill/sdk';
declare const process: { argv: string[] };

const waybill = createClient({ baseUrl: process.argv[2]!, credential: process.argv[3]! });
const { products } = await waybill.get('/api/v1/products');
const names: string[] = products.map(({ name }) => name);
const missing = await waybill
  .get('/api/v1/products/{id}', { params: { path: { id: 'prd_1' } } })
  .catch((error: unknown) => isWaybillError(error, 'not_found'));
console.log(Array.isArray(names), missing);
`;

describe.each(topologies)('packages that $name serves', ({ share, inOneTopology }) => {
  let system: SharedSystem;
  let folder: string;
  beforeAll(async () => {
    system = await share();
    folder = await mkdtemp(join(tmpdir(), 'waybill-downloads-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Returns the addresses from which the guide installs. */
  async function addresses(): Promise<string[]> {
    const guide = await (await fetch(`${system.baseUrl}/docs/sdk-and-cli`)).text();
    return [...new Set(guide.match(/http:\/\/[^\s<]+\.tgz/g))];
  }

  const addressOf = async (name: string) => (await addresses()).find((address) => address.includes(name))!;

  /** Runs plain npm in the clean folder, without a registry. */
  const npm = (...args: string[]) =>
    run('npm', [...args, '--offline', '--no-audit', '--no-fund', `--cache=${folder}/.cache`], {
      cwd: folder,
    });

  test('are at the guide’s address, the same bytes each time', async () => {
    expect(await addresses()).toHaveLength(2);
    for (const address of await addresses()) {
      const [first, second] = await Promise.all([fetch(address), fetch(address)]);
      expect(first.status).toBe(200);
      expect(first.headers.get('content-type')).toBe('application/gzip');
      expect(Buffer.from(await first.arrayBuffer()).equals(Buffer.from(await second.arrayBuffer()))).toBe(
        true,
      );
    }
  });

  test('do not exist for other versions', async () => {
    for (const name of ['waybill-sdk-9.9.9.tgz', 'waybill-other-0.1.0.tgz', '__proto__-0.1.0.tgz', 'x'])
      expect((await fetch(`${system.baseUrl}/docs/downloads/${name}`)).status).toBe(404);
  });

  inOneTopology('give a command line that plain npm installs into a clean folder', async () => {
    const local = await download(await addressOf('cli'));
    await npm('install', '--prefix', 'cli', local);
    const { stdout } = await run(join(folder, 'cli/node_modules/.bin/waybill'), ['--version']);
    const { version } = JSON.parse(
      await readFile(new URL('../../../packages/cli/package.json', import.meta.url), 'utf8'),
    );
    expect(stdout.trim()).toBe(version);
  });

  inOneTopology('give an SDK with types that compiles, calls and tells errors apart', async () => {
    const local = await download(await addressOf('sdk'));
    await writeFile(join(folder, 'package.json'), '{"name":"shop","private":true,"type":"module"}');
    const libraries = ['openapi-fetch', 'openapi-typescript-helpers'].map(
      (name) => `${name}@file:${folderOf(name)}`,
    );
    await npm('install', local, ...libraries);
    await writeFile(join(folder, 'shop.ts'), program);
    const strict = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--outDir', 'out'];
    const types = ['--types', '', '--lib', 'es2023,dom,dom.iterable'];
    await run(process.execPath, [tsc, ...strict, ...types, 'shop.ts'], { cwd: folder });
    const { stdout } = await run(process.execPath, ['out/shop.js', system.baseUrl, system.demo.apiKey], {
      cwd: folder,
    });
    expect(stdout.trim()).toBe('true true');
  });

  /** Downloads a package. With `--offline`, npm sends no request even to this system, so it gets the file. */
  async function download(address: string): Promise<string> {
    const path = join(folder, address.split('/').at(-1)!);
    await writeFile(path, Buffer.from(await (await fetch(address)).arrayBuffer()));
    return path;
  }
});
