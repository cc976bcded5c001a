import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Libraries that only one place may know: the kernel, beside deploy and tests. */
const kernelOnly = ['express', 'amqplib', 'ioredis', 'pg'];

interface Import {
  file: string;
  specifier: string;
}

/** What is wrong with an import; null when nothing is. Paths are relative to the repository. */
function violation({ file, specifier }: Import): string | null {
  const [area, name] = file.split('/') as [string, string];
  // Benchmarks are development's as well.
  const isTest = /\/(test|bench)\//.test(file) || name === 'testing';
  const target = /^@waybill\/([\w-]+)/.exec(specifier)?.[1];
  const outside = specifier.startsWith('.') && !join(file, '..', specifier).startsWith(`${area}/`);
  if (outside) return 'leaves its package by a relative path';
  if (
    specifier.startsWith('.') &&
    area !== 'deploy' &&
    !join(file, '..', specifier).startsWith(`${area}/${name}/`)
  ) {
    return 'leaves its package by a relative path';
  }
  if (kernelOnly.includes(specifier) && name !== 'kernel' && !isTest && area !== 'deploy')
    return 'is the kernel’s business';
  if (target === undefined) {
    const isLibrary = !specifier.startsWith('.') && !specifier.startsWith('node:');
    return name === 'contracts' && isLibrary && !isTest && specifier !== 'typebox'
      ? 'contracts import typebox only'
      : null;
  }
  if (target === 'testing') return isTest ? null : 'testing is for tests and benchmarks';
  if (area === 'deploy') return null;
  if (services.includes(target)) return 'is another service';
  if (name === 'contracts') return 'contracts import typebox only';
  if (name === 'kernel' && target !== 'contracts') return 'the kernel imports contracts only';
  return null;
}

const services = readdirSync(join(root, 'services'));

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sourceFiles(path) : /\.(ts|mjs)$/.test(entry.name) ? [path] : [];
  });
}

function importsOf(path: string): Import[] {
  const file = relative(root, path);
  const text = readFileSync(path, 'utf8');
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => ({ file, specifier: match[1] ?? match[2]! }));
}

describe('imports', () => {
  test('keep to the rules of the house', () => {
    const imports = ['services', 'packages', 'deploy'].flatMap((area) =>
      sourceFiles(join(root, area)).flatMap(importsOf),
    );
    expect(imports.length).toBeGreaterThan(100);
    const found = imports.flatMap((each) => {
      const wrong = violation(each);
      return wrong ? [`${each.file}: ${each.specifier} ${wrong}`] : [];
    });
    expect(found).toEqual([]);
  });

  test.each([
    ['services/catalog/src/x.ts', '@waybill/identity'],
    ['services/catalog/src/x.ts', '../../identity/src/index.ts'],
    ['services/catalog/src/x.ts', 'express'],
    ['services/catalog/src/x.ts', '@waybill/testing'],
    ['packages/contracts/src/x.ts', 'kysely'],
    ['packages/contracts/src/x.ts', '@waybill/kernel'],
    ['packages/kernel/src/x.ts', '@waybill/html'],
    ['packages/html/src/x.ts', '@waybill/catalog'],
  ])('a planted violation is found: %s imports %s', (file, specifier) => {
    expect(violation({ file, specifier })).not.toBeNull();
  });
});
