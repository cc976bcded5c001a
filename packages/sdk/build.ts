/**
 * Makes `dist/`, the package as it is published (`npm publish packages/sdk/dist`): one ES module, its types, the README.
 * With `--out=<folder>` it is made there. With `--check` it asks publint and "Are the types wrong?" about that. `npm run sdk:build`, `npm run sdk:check`.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv.find((argument) => argument.startsWith('--out='))?.slice('--out='.length);
const dist = out ?? here('./dist');

/** Builds the package; what was there is gone. */
async function buildPackage(): Promise<void> {
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist);
  await build({
    entryPoints: [here('./src/index.ts')],
    outfile: `${dist}/index.js`,
    bundle: true,
    format: 'esm',
    packages: 'external',
    platform: 'neutral',
    target: 'es2022',
  });
  await promisify(execFile)(process.execPath, [
    here('../../node_modules/typescript/bin/tsc'),
    '-p',
    here('./tsconfig.build.json'),
    '--outDir',
    dist,
  ]);
  // Of types the compiler leaves the names of files as they are in the source.
  for (const file of (await readdir(dist)).filter((name) => name.endsWith('.d.ts'))) {
    const text = await readFile(`${dist}/${file}`, 'utf8');
    await writeFile(`${dist}/${file}`, text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
  for (const [from, to] of [
    ['./README.md', 'README.md'],
    ['../../LICENSE', 'LICENSE'],
  ] as const)
    await copyFile(here(from), `${dist}/${to}`);
  await writeFile(`${dist}/package.json`, `${JSON.stringify(await manifest(), null, 2)}\n`);
}

async function manifest(): Promise<object> {
  const own = JSON.parse(await readFile(here('./package.json'), 'utf8'));
  const workspace = await readFile(here('../../pnpm-workspace.yaml'), 'utf8');
  const versionOf = (name: string) => new RegExp(`^  "?${name}"?: (.+)$`, 'm').exec(workspace)![1]!;
  return {
    name: own.name,
    version: own.version,
    description: 'The client of Waybill’s API',
    license: 'MIT',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    dependencies: Object.fromEntries(
      Object.keys(own.dependencies).map((name) => [name, `^${versionOf(name)}`]),
    ),
  };
}

/** What is wrong with the package, each in one line. */
async function problemsOfPackage(): Promise<string[]> {
  const [{ publint }, { formatMessage }, { checkPackage, Package }] = await Promise.all([
    import('publint'),
    import('publint/utils'),
    import('@arethetypeswrong/core'),
  ]);
  const pkg = JSON.parse(await readFile(`${dist}/package.json`, 'utf8'));
  const { messages } = await publint({ pkgDir: dist, pack: false, strict: true });
  const names = await readdir(dist);
  const files = Object.fromEntries(
    await Promise.all(
      names.map(
        async (name) => [`/node_modules/${pkg.name}/${name}`, await readFile(`${dist}/${name}`)] as const,
      ),
    ),
  );
  const { types, ...analysis } = await checkPackage(new Package(files, pkg.name, pkg.version));
  const wrong = types === false ? ['there are no types'] : (analysis as { problems: Problem[] }).problems;
  return [
    ...messages.map((message) => `publint: ${formatMessage(message, pkg)}`),
    ...wrong.filter(isOurs).map((problem) => `attw: ${JSON.stringify(problem)}`),
  ];
}

type Problem = string | { kind: string; resolutionKind?: string };

/** It is for ES modules alone: that `require` of an old Node.js and its resolution do not find it is meant. */
const isOurs = (problem: Problem) =>
  typeof problem === 'string' ||
  !(problem.kind === 'CJSResolvesToESM' || problem.resolutionKind === 'node10');

await buildPackage();
if (process.argv.includes('--check')) {
  const problems = await problemsOfPackage();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
  if (problems.length === 0) console.log('publint and "Are the types wrong?" find nothing.');
}
