import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('..', import.meta.url));

test('client and verification are at most 12 KiB, compressed, in what a browser loads', async () => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `import { createClient, webhooks } from '@waybill/sdk';
        globalThis.used = [createClient, webhooks.verify];`,
      resolveDir: folder,
    },
    ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', write: false, metafile: true },
  });
  const bytes = gzipSync(outputFiles![0]!.contents).length;
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThanOrEqual(12 * 1024);
  const libraries = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules'));
  expect(libraries.filter((path) => !path.includes('openapi-fetch'))).toEqual([]);
});

test('publint and “Are the types wrong?” find nothing in the package as it is published', async () => {
  // Where nothing else looks, and its own library is found.
  const out = `${folder}/node_modules/.built`;
  const { stdout } = await run(process.execPath, [`${folder}/build.ts`, '--check', `--out=${out}`]);
  expect(stdout).toContain('find nothing');
  const use = `import { webhooks } from '${out}/index.js'; console.log(typeof webhooks.verify);`;
  const built = await run(process.execPath, ['--input-type=module', '--eval', use]);
  expect(built.stdout).toBe('function\n');
}, 60_000);
