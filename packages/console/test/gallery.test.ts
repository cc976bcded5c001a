import { readdirSync, readFileSync } from 'node:fs';

const ui = new URL('../src/ui/', import.meta.url);
const parts = new URL('../dev/gallery/parts/', import.meta.url);

/** The page itself shows what there can be only one of. */
const gallery = readFileSync(new URL('../dev/gallery/gallery.tsx', import.meta.url), 'utf8');

const componentFiles = (folder: URL) => readdirSync(folder).filter((name) => name.endsWith('.tsx'));

/** The components of a file of `ui` that its part in the gallery does not show. */
function notShown(name: string, source: string, part: string): string[] {
  if (!part.includes(`/src/ui/${name}'`)) return [`${name} as a whole`];
  // Every icon is shown, whatever its name.
  if (part.includes('import * as ')) return [];
  const components = [...source.matchAll(/^export (?:const|function) ([A-Z]\w*)/gm)].map(
    ([, found]) => found!,
  );
  return components.filter((component) => !new RegExp(`<${component}\\b`).test(part + gallery));
}

test('the page of all parts shows every component of every file of src/ui', () => {
  const files = componentFiles(ui);
  expect(files.length).toBeGreaterThan(30);
  expect(componentFiles(parts)).toEqual(files);
  const missing = files.flatMap((name) =>
    notShown(name, readFileSync(new URL(name, ui), 'utf8'), readFileSync(new URL(name, parts), 'utf8')),
  );
  expect(missing).toEqual([]);
});

test('a planted component that is not shown is found', () => {
  const source = 'export function Dial() {}\nexport const Knob = () => null;\nexport const turn = 1;\n';
  const imports = "import { Dial, Knob } from '../../../src/ui/dial.tsx';";
  expect(notShown('dial.tsx', source, `${imports} <Dial /> <Knob a />`)).toEqual([]);
  expect(notShown('dial.tsx', source, `${imports} <Dial />`)).toEqual(['Knob']);
  expect(notShown('dial.tsx', source, '')).toEqual(['dial.tsx as a whole']);
});
