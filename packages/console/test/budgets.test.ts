import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildConsole } from '../build.ts';
import { type Chunks, scriptsBefore } from '../chunks.ts';

let folder: string;
let chunks: Chunks;
beforeAll(async () => {
  folder = await buildConsole();
  chunks = JSON.parse(readFileSync(join(folder, 'chunks.json'), 'utf8'));
});

/** Returns the script that a module is requested by. */
function getScript(module: string): string {
  for (const [name, { asked }] of Object.entries(chunks.scripts))
    if (asked.some((one) => one.endsWith(module))) return name;
  throw new Error(`${module} has no script`);
}

/**
 * Returns all files that must load before the modules run: their scripts, those that they import and, for the entry,
 * its styles.
 */
function collectScripts(modules: readonly string[]): Set<string> {
  const scripts = modules.map(getScript);
  const found = new Set(scripts.flatMap((name) => [name, ...scriptsBefore(chunks, name)]));
  if (modules.includes('src/main.tsx')) found.add(chunks.styles);
  return found;
}

const gzippedKiB = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + statSync(join(folder, 'assets', `${name}.gz`)).size, 0) / 1024;

const start = ['src/main.tsx', 'texts/en/common.ts'];
const signIn = [...start, 'features/sign-in/index.tsx', 'texts/en/sign-in.ts'];
const inside = [...start, 'shell/frame.tsx'];
const firstList = [...inside, 'features/products/list.tsx', 'texts/en/products.ts'];

test('the first screen of a stranger is small, and few files', () => {
  // Includes the addresses of all screens.
  expect(gzippedKiB(collectScripts(signIn))).toBeLessThan(118);
  expect(collectScripts(signIn).size).toBeLessThan(8);
});

test('the first list of who is signed in is small, and few files', () => {
  expect(gzippedKiB(collectScripts(firstList))).toBeLessThan(201);
  expect(collectScripts(firstList).size).toBeLessThan(12);
});

test('a further screen adds little', () => {
  const known = collectScripts(firstList);
  const screens = Object.values(chunks.scripts).flatMap(({ asked }) =>
    asked.filter((module) => /^src\/features\/[\w-]+\/[\w-]+\.tsx$/.test(module)),
  );
  expect(screens.length).toBeGreaterThan(20);
  const large = screens.flatMap((screen) => {
    const added = gzippedKiB([...collectScripts([screen])].filter((name) => !known.has(name)));
    return added < 25 ? [] : [`${screen}: ${added.toFixed(1)} KiB`];
  });
  expect(large).toEqual([]);
});

const editor = [...inside, 'editor/screen/index.tsx', 'texts/en/editor.ts', 'texts/en/editor-canvas.ts'];
const listPanelModules = (...names: string[]) => [
  ...names.map((name) => `editor/panels/${name}.tsx`),
  'texts/en/editor-panels.ts',
];
const added = (known: readonly string[], more: readonly string[]) => {
  const there = collectScripts(known);
  return gzippedKiB([...collectScripts([...known, ...more])].filter((name) => !there.has(name)));
};

test('the page editor adds little before a page is seen; what it is typed with and its panels come beside it', () => {
  // Includes the renderer, the texts of shop pages in seven languages and the editor's styles.
  expect(added(inside, editor)).toBeLessThan(80);
  // The panels that are open at first. The layers panel loads when the user switches to it.
  expect(added(editor, listPanelModules('sections', 'inspector'))).toBeLessThan(51.25);
  expect(
    added(editor, listPanelModules('sections', 'layers', 'inspector', 'insert', 'problems')),
  ).toBeLessThan(74.75);
});

test('rich text comes when it is typed', () => {
  expect(added(editor, ['editor/canvas/rich-text.ts', 'editor/canvas/text-bar.tsx'])).toBeLessThan(67.75);
});

test('no script waits for itself, by way of others', () => {
  const loops = Object.keys(chunks.scripts).filter((name) => scriptsBefore(chunks, name).has(name));
  expect(loops).toEqual([]);
});

test('whoever bundles the same sources gives files the same names, so that copies of the gateway serve each other’s', async () => {
  const again = await mkdtemp(join(tmpdir(), 'waybill-console-'));
  await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL('../bundle.ts', import.meta.url)),
    again,
  ]);
  expect(readdirSync(join(again, 'assets'))).toEqual(readdirSync(join(folder, 'assets')));
  await rm(again, { recursive: true });
});
