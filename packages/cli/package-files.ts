import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BuiltPackage } from '@waybill/sdk/package-files';
import { build } from 'esbuild';

const toPath = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Builds the command line as it is published: one file that needs only Node.js 20. */
export async function buildCli(): Promise<BuiltPackage> {
  const { outputFiles } = await build({
    entryPoints: [toPath('./src/main.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    // The `main` of some libraries is a wrapper that a bundler cannot analyse.
    mainFields: ['module', 'main'],
    // CommonJS libraries load Node.js modules through `require`.
    banner: {
      js: "import { createRequire as waybillRequire } from 'node:module'; const require = waybillRequire(import.meta.url);",
    },
    write: false,
  });
  const { name, version } = JSON.parse(await readFile(toPath('./package.json'), 'utf8'));
  const manifest = {
    name,
    version,
    description: 'Waybill at your command line',
    keywords: ['waybill', 'commerce', 'cli', 'webhooks'],
    license: 'MIT',
    type: 'module',
    engines: { node: '>=20.12' },
    bin: { waybill: './waybill.js' },
    publishConfig: { access: 'public' },
  };
  const files = new Map<string, Uint8Array | string>([
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['README.md', await readFile(toPath('./README.md'))],
    ['LICENSE', await readFile(toPath('../../LICENSE'))],
    ['waybill.js', outputFiles[0]!.contents],
  ]);
  return { name, version, files };
}
