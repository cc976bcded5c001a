/**
 * Makes `dist/`, the command line as it is published (`npm publish packages/cli/dist`): one file that needs nothing but
 * Node.js 20. `npm run cli:build`.
 */
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv.find((argument) => argument.startsWith('--out='))?.slice('--out='.length);
const dist = out ?? here('./dist');

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await build({
  entryPoints: [here('./src/main.ts')],
  outfile: `${dist}/waybill.js`,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  // A library's `main` may be a wrapping that a bundle cannot look into.
  mainFields: ['module', 'main'],
  // Libraries of CommonJS ask for Node.js's own modules so.
  banner: {
    js: "import { createRequire as waybillRequire } from 'node:module'; const require = waybillRequire(import.meta.url);",
  },
});
await chmod(`${dist}/waybill.js`, 0o755);
for (const [from, to] of [
  ['./README.md', 'README.md'],
  ['../../LICENSE', 'LICENSE'],
] as const)
  await copyFile(here(from), `${dist}/${to}`);
const { name, version } = JSON.parse(await readFile(here('./package.json'), 'utf8'));
const manifest = {
  name,
  version,
  description: 'Waybill at your command line',
  license: 'MIT',
  type: 'module',
  engines: { node: '>=20.12' },
  bin: { waybill: './waybill.js' },
};
await writeFile(`${dist}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
