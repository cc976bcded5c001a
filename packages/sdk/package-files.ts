import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { isolatedDeclarationSync } from 'oxc-transform';

/** A package as it is stored in a registry. */
export interface BuiltPackage {
  name: string;
  version: string;
  /** Its files by name. */
  files: ReadonlyMap<string, Uint8Array | string>;
}

const toPath = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Builds the client as it is published: one ES module, its types, the README and the examples that it describes. */
export async function buildSdk(): Promise<BuiltPackage> {
  const { outputFiles } = await build({
    entryPoints: [toPath('./src/index.ts')],
    bundle: true,
    format: 'esm',
    packages: 'external',
    platform: 'neutral',
    target: 'es2022',
    write: false,
  });
  const [manifest, readme, license, declarations, examples] = await Promise.all([
    describePackage(),
    readFile(toPath('./README.md')),
    readFile(toPath('../../LICENSE')),
    declareTypes(),
    readExamples(),
  ]);
  const files = new Map<string, Uint8Array | string>([
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['README.md', readme],
    ['LICENSE', license],
    ['index.js', outputFiles[0]!.contents],
    ...declarations,
    ...examples,
  ]);
  return { name: manifest.name, version: manifest.version, files };
}

async function readExamples(): Promise<[name: string, text: string][]> {
  const paths = await readdir(toPath('./examples'), { recursive: true });
  return Promise.all(
    paths
      .filter((path) => path.endsWith('.ts'))
      .map(
        async (path): Promise<[string, string]> => [
          `examples/${path}`,
          await readFile(toPath(`./examples/${path}`), 'utf8'),
        ],
      ),
  );
}

async function declareTypes(): Promise<[name: string, text: string][]> {
  const sources = (await readdir(toPath('./src'))).filter((name) => name.endsWith('.ts'));
  return Promise.all(
    sources.map(async (source): Promise<[string, string]> => {
      const text = await readFile(toPath(`./src/${source}`), 'utf8');
      const { code, errors } = isolatedDeclarationSync(source, text, { stripInternal: true });
      if (errors.length > 0) throw new Error(`${source}: ${errors.map(({ message }) => message).join('; ')}`);
      // Imports still use the names of the source files.
      return [
        source.replace(/\.ts$/, '.d.ts'),
        code.replaceAll(/((?:from|import\() ?["']\.\/[\w-]+)\.ts(["'])/g, '$1.js$2'),
      ];
    }),
  );
}

/** Libraries that the module or its types import; the other dependencies are only used to build it. */
const usedLibraries = ['openapi-fetch', 'openapi-typescript-helpers'];

async function describePackage() {
  const { name, version } = JSON.parse(await readFile(toPath('./package.json'), 'utf8'));
  const workspace = await readFile(toPath('../../pnpm-workspace.yaml'), 'utf8');
  const readVersion = (library: string) => new RegExp(`^  "?${library}"?: (.+)$`, 'm').exec(workspace)![1]!;
  return {
    name: name as string,
    version: version as string,
    description: 'The client of Waybill’s API',
    keywords: ['waybill', 'commerce', 'api', 'client', 'webhooks'],
    license: 'MIT',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    dependencies: Object.fromEntries(usedLibraries.map((library) => [library, `^${readVersion(library)}`])),
    publishConfig: { access: 'public' },
  };
}
