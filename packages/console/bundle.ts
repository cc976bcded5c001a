import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type CSSModuleExports, transform } from 'lightningcss';
import { type Plugin, type PluginContext, rolldown } from 'rolldown';
import { compileCatalogues } from './catalogues.ts';
import { type Chunks, scriptsBefore } from './chunks.ts';
import { renderConsolePage } from './page.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const source = (file: string) => join(here, 'src', file);

/**
 * The page package as one file, except for what single screens use. Otherwise there would be a file for each set of
 * screens that share a part of it, and the editor would load eleven.
 */
const pageModules =
  /[\\/]packages[\\/]page[\\/]src[\\/](?!check[\\/](?:block|manifest)\.|cldr\.|document-texts\.|own-keys\.|sample\.)/;

/** Bundles the console into a folder. Throws the bundler's error. */
async function bundle(folder: string): Promise<void> {
  const build = await rolldown({
    input: source('main.tsx'),
    cwd: here,
    platform: 'browser',
    plugins: [compileCatalogues(), lateMoneyForms, styles, unspokenLanguages, layers],
    transform: { target: scriptTargets, define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  });
  const { output } = await build.write({
    dir: join(folder, 'assets'),
    format: 'esm',
    minify: true,
    comments: false,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    assetFileNames: '[name]-[hash][extname]',
    // A layer holds only its own modules: the modules they import have a layer of their own, or none.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => layerById.get(id) ?? null }, { name: 'page', test: pageModules }],
    },
  });
  await build.close();
  const scripts = output.filter((file) => file.type === 'chunk');
  const chunks: Chunks = {
    styles: output.find(({ fileName }) => fileName.endsWith('.css'))!.fileName,
    scripts: Object.fromEntries(
      scripts.map(({ fileName, moduleIds, imports }) => [
        fileName,
        { asked: moduleIds.filter((id) => asked.has(id)).map((id) => relative(here, id)), imports },
      ]),
    ),
  };
  const start = scripts.find(({ isEntry }) => isEntry)!.fileName;
  await writeFile(join(folder, 'index.html'), renderIndex(start, chunks));
  await writeFile(join(folder, 'chunks.json'), JSON.stringify(chunks));
  await compressAll(folder);
}

/** The oldest browsers with `light-dark()`, cascade layers, `:has()` and import attributes. */
const browsers = { chrome: [123, 0], firefox: [121, 0], safari: [17, 5] } as const;
const scriptTargets = Object.entries(browsers).map(([name, version]) => `${name}${version.join('.')}`);
/** The same browsers in lightningcss's form. */
export const styleTargets = Object.fromEntries(
  Object.entries(browsers).map(([name, [major, minor]]) => [name, (major << 16) | (minor << 8)]),
);

/** Loads the money formats of all locales beside the editor, not before it. */
export const lateMoneyForms: Plugin = {
  name: 'late-money-forms',
  resolveId: {
    filter: { id: /^\.\/cldr\.ts$/ },
    handler(_source, importer) {
      if (!importer?.endsWith('/page/src/money.ts')) return null;
      return importer.replace(/money\.ts$/, 'cldr-late.ts');
    },
  },
};

const sheets = new Map<string, string>();
/** Ids of the sheets that a script adopts. */
const placed = new Set<string>();

function getName({ name, composes }: CSSModuleExports[string]): string {
  if (composes.length > 0) throw new Error(`.${name} composes others: put both classes to the element`);
  return name;
}

/** Whether a module's styles belong to the sheet that loads before the first screen. */
const isInFirstSheet = (id: string) => ['main', 'signIn'].includes(layerById.get(id) ?? '');

/** Stands in a script for a sheet, until it is known whether the sheet loads before the first screen. */
const sheetMark = /\b(\w+)\(["'`]sheet:([^"'`]+)["'`]\)/g;

/**
 * Collects styles in import order and scopes each module's class names. The styles of the first screen form one sheet;
 * all others are adopted by their module's script.
 */
const styles: Plugin = {
  name: 'styles',
  load: {
    filter: { id: /\.css$/ },
    async handler(id) {
      const { code, exports } = transform({
        // Class names derive from this path, so it must not depend on where the checkout is.
        filename: relative(here, id),
        code: await readFile(id),
        minify: true,
        cssModules: id.endsWith('.module.css'),
        targets: styleTargets,
      });
      sheets.set(id, code.toString());
      // lightningcss returns the classes in varying order, which would change every file's hash.
      const classes = Object.fromEntries(
        Object.keys(exports ?? {})
          .sort()
          .map((key) => [key, getName(exports![key]!)]),
      );
      return {
        code: `import { adoptSheet } from ${JSON.stringify(source('ui/adopt-sheet.ts'))};
adoptSheet(${JSON.stringify(`sheet:${relative(here, id)}`)});
export default ${JSON.stringify(classes)};`,
        moduleType: 'js',
        moduleSideEffects: true,
      };
    },
  },
  renderChunk(code) {
    const order = [...importedBy(this, 'main.tsx', true)];
    return code.replaceAll(sheetMark, (_mark, adopt: string, path: string) => {
      const id = join(here, path);
      if (isInFirstSheet(id)) return 'void 0';
      placed.add(id);
      return `${adopt}(${order.indexOf(id)},${JSON.stringify(sheets.get(id))})`;
    });
  },
  generateBundle() {
    const inOrder = [...importedBy(this, 'main.tsx', true)].filter((id) => sheets.has(id));
    const lost = inOrder.filter((id) => !isInFirstSheet(id) && !placed.has(id));
    if (lost.length > 0) throw new Error(`No script adopts the styles of ${lost.join(', ')}`);
    const first = inOrder.filter(isInFirstSheet).map((id) => sheets.get(id));
    this.emitFile({ type: 'asset', name: 'main.css', source: first.join('') });
  },
};

/** The languages of the console. React Aria's texts for the other 32 languages are left out. */
const spoken = ['en-US', 'de-DE'];

const unspokenLanguages: Plugin = {
  name: 'unspoken-languages',
  load: {
    filter: { id: /[\\/]intl[\\/](?:[\w.-]{1,100}[\\/]){0,5}[a-z]{2}-[A-Z]{2}\.mjs$/ },
    handler: (id) =>
      spoken.some((language) => id.endsWith(`${language}.mjs`))
        ? null
        : { code: 'export default {};', moduleType: 'js' },
  },
};

/**
 * Points that a user reaches in this order; each becomes one file with the modules that the earlier ones lack. By
 * default the bundler would make one file for each set of screens that share modules: 72 for the first list.
 */
const landmarks = {
  main: 'main.tsx',
  signIn: 'features/sign-in/index.tsx',
  frame: 'shell/frame.tsx',
  lists: 'features/products/list.tsx',
};

const layerById = new Map<string, string>();
/** Modules that are requested on their own: the entry and all dynamic imports. */
const asked = new Set<string>();

const layers: Plugin = {
  name: 'layers',
  buildEnd() {
    for (const id of this.getModuleIds()) {
      const { isEntry, dynamicImporters } = this.getModuleInfo(id)!;
      if (isEntry || dynamicImporters.length > 0) asked.add(id);
    }
    const ofEditor = importedBy(this, 'editor/screen/index.tsx');
    for (const [layer, landmark] of Object.entries(landmarks))
      for (const id of importedBy(this, landmark)) {
        const isFeature = id.startsWith(source('features/'));
        if (layerById.has(id) || (isFeature && layer !== 'main')) continue;
        // The editor needs less than half of the lists' modules, so that half is a file of its own, `fields`.
        layerById.set(id, layer === 'lists' && ofEditor.has(id) ? 'fields' : layer);
      }
    for (const id of ofEditor) if (id.startsWith(source('editor/'))) layerById.set(id, 'editor');
  },
};

/**
 * Returns the module and everything it imports, the module itself last. With `later`, dynamic imports are followed too.
 */
function importedBy(context: PluginContext, file: string, later = false): Set<string> {
  const seen = new Set<string>();
  const found = new Set<string>();
  const add = (id: string) => {
    const module = seen.has(id) ? null : context.getModuleInfo(id);
    if (!module) return;
    seen.add(id);
    module.importedIds.forEach(add);
    if (later) module.dynamicallyImportedIds.forEach(add);
    found.add(id);
  };
  add(source(file));
  return found;
}

function renderIndex(start: string, chunks: Chunks): string {
  const at = (name: string) => `/console/assets/${name}`;
  const preloads = [...scriptsBefore(chunks, start)].map(
    (name) => `<link rel="modulepreload" href="${at(name)}">`,
  );
  return renderConsolePage(
    [
      `<link rel="stylesheet" href="${at(chunks.styles)}">`,
      ...preloads,
      `<script type="module" src="${at(start)}"></script>`,
    ].join('\n'),
  );
}

async function compressAll(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  const texts = files.filter((file) => /\.(js|css|html|svg)$/.test(file)).map((file) => join(folder, file));
  await Promise.all(
    texts.map(async (file) => {
      const bytes = await readFile(file);
      // Brotli's best quality, 11, is too slow here: the first start would wait for it.
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
      await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}

if (import.meta.main) {
  process.once('disconnect', () => process.exit(1));
  // The channel to the caller keeps no finished bundler alive.
  process.channel?.unref();
  await bundle(process.argv[2]!);
}
