import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { buildConsole } from '../build.ts';

let folder: string;
let outputs: Map<string, Metafile['outputs'][string]>;
beforeAll(async () => {
  folder = await buildConsole();
  const meta: Metafile = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8'));
  outputs = new Map(Object.entries(meta.outputs).map(([path, output]) => [basename(path), output]));
});

/** The chunk of a file that is asked for by itself. */
function chunkOf(source: string): string {
  for (const [name, { entryPoint }] of outputs) if (entryPoint?.endsWith(source)) return name;
  throw new Error(`${source} has no chunk`);
}

/**
 * All that has to be there before these run: their chunks, what those import, and the styles, which are those of the
 * start: all rooms' are in them.
 */
function closureOf(sources: readonly string[]): Set<string> {
  const found = new Set<string>();
  const add = (name: string) => {
    const output = outputs.get(name);
    if (!output || found.has(name)) return;
    found.add(name);
    if (output.cssBundle && output.entryPoint?.endsWith('src/main.tsx'))
      found.add(basename(output.cssBundle));
    for (const { kind, path } of output.imports) if (kind === 'import-statement') add(basename(path));
  };
  for (const source of sources) add(chunkOf(source));
  return found;
}

const gzippedKiB = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + statSync(join(folder, 'assets', `${name}.gz`)).size, 0) / 1024;

const start = ['src/main.tsx', 'texts/en/common.ts'];
const door = [...start, 'rooms/door/index.tsx', 'texts/en/sign-in.ts'];
const inside = [...start, 'shell/frame.tsx'];
const firstList = [...inside, 'rooms/products/list.tsx', 'texts/en/products.ts'];

test('the first screen of a stranger is small', () => {
  expect(gzippedKiB(closureOf(door))).toBeLessThan(156);
});

test('the first list of who is signed in is small', () => {
  expect(gzippedKiB(closureOf(firstList))).toBeLessThan(248);
});

test('a further screen adds little', () => {
  const known = closureOf(firstList);
  const screens = [...outputs.values()].flatMap(({ entryPoint }) =>
    entryPoint && /src\/rooms\/[\w-]+\/[\w-]+\.tsx$/.test(entryPoint) ? [entryPoint] : [],
  );
  expect(screens.length).toBeGreaterThan(20);
  const large = screens.flatMap((screen) => {
    const added = gzippedKiB([...closureOf([screen])].filter((name) => !known.has(name)));
    return added < 28.5 ? [] : [`${screen}: ${added.toFixed(1)} KiB`];
  });
  expect(large).toEqual([]);
});

const editor = [...inside, 'editor/screen/index.tsx', 'texts/en/editor.ts', 'texts/en/editor-canvas.ts'];
const panels = ['layers.tsx', 'inspector.tsx', 'insert.tsx', 'problems.tsx'].map(
  (name) => `editor/panels/${name}`,
);
const added = (known: readonly string[], more: readonly string[]) => {
  const there = closureOf(known);
  return gzippedKiB([...closureOf([...known, ...more])].filter((name) => !there.has(name)));
};

test('the page editor adds little before a page is seen; what it is typed with and its panels come beside it', () => {
  // A kilobyte of it is what pages look like on telephones.
  expect(added(inside, editor)).toBeLessThan(86);
  expect(added(editor, panels)).toBeLessThan(54);
});

test('rich text comes when it is typed', () => {
  expect(added(editor, ['editor/canvas/rich-text.ts', 'editor/canvas/rich-text-bar.tsx'])).toBeLessThan(70);
});
