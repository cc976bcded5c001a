/**
 * Builds `dist/`, the package as it is published (`npm publish packages/sdk/dist`): one ES module, its types, the
 * README, the examples. `--out=<folder>` builds it there instead. `--check` also runs publint and "Are the types wrong?" on the
 * result. Used by `npm run sdk:build` and `npm run sdk:check`.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSdk } from './package-files.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv.find((argument) => argument.startsWith('--out='))?.slice('--out='.length);
const dist = out ?? here('./dist');

/** Writes the package, replacing the previous one. */
async function writePackage(): Promise<void> {
  const { files } = await buildSdk();
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  for (const [name, content] of files) {
    await mkdir(dirname(`${dist}/${name}`), { recursive: true });
    await writeFile(`${dist}/${name}`, content);
  }
}

/** Returns the problems of the package, one per line. */
async function findPackageProblems(): Promise<string[]> {
  const [{ publint }, { formatMessage }, { checkPackage, Package }] = await Promise.all([
    import('publint'),
    import('publint/utils'),
    import('@arethetypeswrong/core'),
  ]);
  const pkg = JSON.parse(await readFile(`${dist}/package.json`, 'utf8'));
  const { messages } = await publint({ pkgDir: dist, pack: false, strict: true });
  const entries = await readdir(dist, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
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

/**
 * The package is for ES modules only, so problems with `require` and the module resolution of old Node.js are expected.
 */
const isOurs = (problem: Problem) =>
  typeof problem === 'string' ||
  !(problem.kind === 'CJSResolvesToESM' || problem.resolutionKind === 'node10');

await writePackage();
if (process.argv.includes('--check')) {
  const problems = await findPackageProblems();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
  if (problems.length === 0) console.log('publint and "Are the types wrong?" find nothing.');
}
