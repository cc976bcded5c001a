import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin, stop } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');
/** Where built consoles are kept, each in a folder that is named by its sources. */
const kept = join(root, '.runtime/console');

/** Whatever the bundle is made of: a change of any of these makes another one. */
const inputs = [
  here,
  join(root, 'packages/sdk/src'),
  join(root, 'packages/page/src'),
  join(root, 'packages/product-files/src'),
  join(root, 'packages/contracts/src'),
];

/**
 * Builds the console unless its sources are those of the last time, and gives the folder of its files: `index.html`,
 * and what that leads to below `assets/`, named by content, each beside its compressed forms. Safe in several processes
 * at once. Throws what esbuild says.
 */
export function buildConsole(): Promise<string> {
  running ??= buildOnce().finally(() => {
    running = null;
  });
  return running;
}

/** In this process one at a time: the end of one would stop what the others build with. */
let running: Promise<string> | null = null;

async function buildOnce(): Promise<string> {
  const folder = join(kept, await hashOfSources());
  if (existsSync(folder)) return folder;
  await mkdir(kept, { recursive: true });
  const fresh = await mkdtemp(join(kept, 'new-'));
  try {
    const { metafile } = await build(optionsFor(join(fresh, 'assets')));
    await writeFile(join(fresh, 'index.html'), indexOf(metafile));
    await writeFile(join(fresh, 'meta.json'), JSON.stringify(metafile));
    await compressAll(fresh);
    await rename(fresh, folder).catch((error) => {
      // Another process was first, with the same files.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    // esbuild's own process would stay with whoever builds, which goes on for long.
    await stop();
    await rm(fresh, { recursive: true, force: true });
  }
  await forgetOthers(folder);
  return folder;
}

/** React Aria's own words come in 34 languages; the console speaks these. */
const spoken = ['en-US', 'de-DE'];

const unspokenLanguages: Plugin = {
  name: 'unspoken-languages',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]intl[\\/](.*[\\/])?[a-z]{2}-[A-Z]{2}\.mjs$/ }, ({ path }) =>
      spoken.some((language) => path.endsWith(`${language}.mjs`)) ? null : { contents: 'export default {};' },
    );
  },
};

const optionsFor = (outdir: string) =>
  ({
    plugins: [unspokenLanguages],
    entryPoints: [join(here, 'src/main.tsx')],
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    // What each of these has: `light-dark()`, cascade layers, `:has()`, import attributes.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    metafile: true,
    sourcemap: false,
    legalComments: 'none',
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/console/assets',
    loader: { '.svg': 'file', '.woff2': 'file' },
  }) satisfies BuildOptions;

function indexOf({ outputs }: Metafile): string {
  const [script, entry] = Object.entries(outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith('src/main.tsx'),
  )!;
  const at = (path: string) => `/console/assets/${basename(path)}`;
  const preloads = entry.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="${at(path)}">`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Waybill</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${at(entry.cssBundle!)}">
${preloads.join('\n')}
<script type="module" src="${at(script)}"></script>
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript. The API does not: /docs</noscript>
</body>
</html>
`;
}

async function compressAll(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  const texts = files.filter((file) => /\.(js|css|html|svg)$/.test(file)).map((file) => join(folder, file));
  await Promise.all(
    texts.map(async (file) => {
      const bytes = await readFile(file);
      // The best quality, 11, is for who has the time; here a first start would wait for it.
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
      await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of [join(root, 'pnpm-lock.yaml'), ...(await sourcesOf(inputs))])
    hash.update(file.slice(root.length)).update(await readFile(file));
  return hash.digest('hex').slice(0, 32);
}

async function sourcesOf(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() && /\.(tsx?|css|js|svg|woff2)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => !path.includes('node_modules') && !path.startsWith(join(here, 'test'))),
    ),
  );
  return found.flat().sort();
}

/** What a build leaves that was killed is older than any that runs. */
const longestBuildMs = 3_600_000;

/**
 * Those of earlier sources, but for the newest few: another checkout's process may still serve from one. And what builds
 * that were killed have left.
 */
async function forgetOthers(present: string): Promise<void> {
  const entries = await readdir(kept, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(kept, name));
  const isFresh = (folder: string) => basename(folder).startsWith('new-');
  const others = folders.filter((folder) => folder !== present && !isFresh(folder));
  const left: string[] = [];
  for (const folder of folders.filter(isFresh)) {
    const age = await stat(folder).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      // It has just been given its name.
      () => 0,
    );
    if (age > longestBuildMs) left.push(folder);
  }
  const old = [...left, ...(others.length < 8 ? [] : others)];
  await Promise.all(old.map((folder) => rm(folder, { recursive: true, force: true })));
}

if (import.meta.main) process.stdout.write(`${await buildConsole()}\n`);
