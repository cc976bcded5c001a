/**
 * Builds `dist/`, the command line as it is published (`npm publish packages/cli/dist`): one file that needs only
 * Node.js 20. Used by `npm run cli:build`.
 */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildCli } from './package-files.ts';

const out = process.argv.find((argument) => argument.startsWith('--out='))?.slice('--out='.length);
const dist = out ?? fileURLToPath(new URL('./dist', import.meta.url));

const { files } = await buildCli();
await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
for (const [name, content] of files) await writeFile(`${dist}/${name}`, content);
await chmod(`${dist}/waybill.js`, 0o755);
