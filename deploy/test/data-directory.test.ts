import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isClusterData, runKeys } from '../ops/keys/keys.ts';
import { secretNames, withSecrets } from '../secrets.ts';
import {
  findRunning,
  openDataDirectory,
  readOrCreateSecrets,
  requireData,
} from '../standalone/data-directory.ts';
import { hold, stopHolders } from './holder.ts';

let parent: string;
let dataDir: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'waybill-directory-'));
  dataDir = join(parent, 'data');
});

afterEach(async () => {
  await stopHolders();
  await rm(parent, { recursive: true, force: true });
});

const isRoot = process.getuid?.() === 0;

describe('the data directory', () => {
  test('makes its contents private, also existing ones', async () => {
    await (await openDataDirectory(dataDir)).release();
    const left = { lock: 0o644, 'demo.json': 0o664, mail: 0o755 };
    await writeFile(join(dataDir, 'demo.json'), '{}');
    await mkdir(join(dataDir, 'mail'));
    for (const [name, mode] of Object.entries(left)) await chmod(join(dataDir, name), mode);
    const directory = await openDataDirectory(dataDir);
    const modes = await Promise.all(
      Object.keys(left).map(async (name) => (await stat(join(dataDir, name))).mode & 0o777),
    );
    expect(modes).toEqual([0o600, 0o600, 0o700]);
    await expect(openDataDirectory(dataDir)).rejects.toThrow('already in use');
    await directory.release();
  });

  test('is created so that other users can only pass through it', async () => {
    const directory = await openDataDirectory(dataDir);
    expect(directory.path).toBe(dataDir);
    expect((await stat(dataDir)).mode & 0o777).toBe(isRoot ? 0o711 : 0o700);
    await directory.release();
    await (await openDataDirectory(dataDir)).release();
  });

  test('belongs to one start at a time', async () => {
    const holder = hold(dataDir, 'directory');
    await holder.line((line) => line.ready);
    const pid = (await readFile(join(dataDir, 'pid'), 'utf8')).trim();
    await expect(openDataDirectory(dataDir)).rejects.toThrow(
      `The data directory ${dataDir} is already in use by another start (pid ${pid}).`,
    );
    await holder.stop();
    await (await openDataDirectory(dataDir)).release();
  });

  test('is free at once after its holder was killed, for one of the waiting starts', async () => {
    const holder = hold(dataDir, 'directory');
    await holder.line((line) => line.ready);
    await holder.kill();
    const rivals = Array.from({ length: 4 }, () => hold(dataDir, 'directory'));
    const said = await Promise.all(rivals.map((rival) => rival.line(() => true)));
    expect(said.filter(({ ready }) => ready)).toHaveLength(1);
    expect(said.filter(({ error }) => error?.includes('already in use'))).toHaveLength(3);
  });

  test('names its system’s address while that runs', async () => {
    const nobody = `Waybill is not running on the data directory ${dataDir}; start it, and try again.`;
    const addresses = { baseUrl: 'http://a.example', identityUrl: 'http://127.0.0.1:1' };
    await expect(findRunning(dataDir)).rejects.toThrow(nobody);
    const directory = await openDataDirectory(dataDir);
    await expect(findRunning(dataDir)).rejects.toThrow(nobody);
    await directory.announce(addresses);
    expect(await findRunning(dataDir)).toEqual({ path: dataDir, ...addresses });
    await directory.release();
    await expect(findRunning(dataDir)).rejects.toThrow(nobody);
    // A killed process leaves this file.
    await writeFile(join(dataDir, 'running.json'), JSON.stringify(addresses));
    await expect(findRunning(dataDir)).rejects.toThrow(nobody);
  });

  test('must be a directory', async () => {
    await writeFile(dataDir, 'mine');
    await expect(openDataDirectory(dataDir)).rejects.toThrow(
      `The data directory ${dataDir} is not a directory.`,
    );
    await expect(openDataDirectory(join(dataDir, 'below'))).rejects.toThrow('is not a directory.');
    expect(await readFile(dataDir, 'utf8')).toBe('mine');
  });

  test('must be writable', async () => {
    // Only the kernel's own file systems refuse root.
    const closed = isRoot ? '/sys/waybill' : dataDir;
    if (!isRoot) {
      await mkdir(dataDir);
      await chmod(dataDir, 0o500);
    }
    await expect(openDataDirectory(closed)).rejects.toThrow(
      `The data directory ${closed} is not writable for this user.`,
    );
  });
});

describe('commands on a data directory', () => {
  test('do not create one', () => {
    expect(() => requireData(dataDir)).toThrow('There is no data of Waybill');
  });

  test('replace every key setting', async () => {
    await mkdir(dataDir);
    await withSecrets(dataDir, {});
    for (const name of Object.values(secretNames)) await runKeys(['add', name], dataDir, async () => []);
    await expect(runKeys(['add', 'nope'], dataDir, async () => [])).rejects.toThrow('There is no key nope');
  });

  test.each([
    ['npm start', ['serviceToken.standalone', 'serviceToken.operator', 'postgres.orders'], true, false],
    ['both', ['serviceToken.standalone', 'serviceToken.gateway', 'postgres.orders'], true, true],
    ['npm run cluster with tokens of its own', ['postgres.orders'], false, true],
  ])('look for data of a cluster where %s has been', (_, names, hasOwn, expected) => {
    expect(isClusterData(Object.fromEntries(names.map((name) => [name, 'x'])), hasOwn)).toBe(expected);
  });
});

describe('the secrets', () => {
  const path = () => join(parent, 'secrets.json');

  test('are created once, and later ones are added', async () => {
    const first = await readOrCreateSecrets(parent, ['one', 'two']);
    expect(Buffer.from(first.one, 'base64url')).toHaveLength(32);
    expect(first.two).not.toBe(first.one);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect(await readOrCreateSecrets(parent, ['two', 'three'])).toMatchObject(first);
    expect(Object.keys(JSON.parse(await readFile(path(), 'utf8')))).toEqual(['one', 'two', 'three']);
  });

  test.each(['', '{"one":', '[]', '{"one":1}', '{"one":""}'])(
    'that are damaged are left as they are: %p',
    async (text) => {
      await writeFile(path(), text);
      await expect(readOrCreateSecrets(parent, ['one'])).rejects.toThrow(`${path()} is damaged`);
      expect(await readFile(path(), 'utf8')).toBe(text);
    },
  );
});
