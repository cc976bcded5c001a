import {
  type Block,
  checkBlock,
  checkDocument,
  type Json,
  materialise,
  normaliseDocument,
  type PageDocument,
  references,
  render,
  renderDocument,
  resolve,
  tolerateDocument,
  vocabulary,
} from '../src/index.ts';
import { createFacts } from './case.ts';

/** A document that is broken in one place must either be refused or still become a page, but never cause an error. */

const doc: Json = {
  type: 'doc',
  content: [
    { type: 'heading', attrs: { level: 2 }, content: [{ type: 'text', text: 'a' }] },
    {
      type: 'paragraph',
      content: [
        { type: 'text', text: 'b', marks: [{ type: 'bold' }, { type: 'link', attrs: { href: '/x' } }] },
        { type: 'hardBreak' },
      ],
    },
    { type: 'bulletList', content: [{ type: 'listItem', content: [{ type: 'horizontalRule' }] }] },
    { type: 'codeBlock', content: [{ type: 'text', text: 'c' }] },
  ],
};

const nodes = [
  { id: 'root', type: 'section', children: ['text', 'rich', 'list', 'select', 'image', 'button'] },
  {
    id: 'text',
    type: 'text',
    props: {
      style: { base: { color: 'red', backgroundImage: { src: 'mda_1' } }, mobile: { color: null } },
      config: { base: { hidden: true }, tablet: { hidden: false } },
      specials: { text: 'd', tag: 'p', productId: 'prd_1' },
    },
  },
  { id: 'rich', type: 'richText', props: { specials: { doc } } },
  { id: 'list', type: 'list', props: { specials: { items: ['e', { text: 'f', href: '/y' }] } } },
  { id: 'select', type: 'select', props: { specials: { options: ['g', { label: 'h', value: 'i' }] } } },
  { id: 'image', type: 'image', props: { specials: { src: 'mda_1' }, config: { base: { ratio: '1/1' } } } },
  {
    id: 'button',
    type: 'button',
    props: { specials: { href: { type: 'page', pageId: 'pag_1', anchorId: 'a', newTab: true } } },
  },
];

const block = {
  key: 'reviews',
  name: 'Reviews',
  icon: 'star',
  rootId: 'root',
  nodes: nodes.map((node) =>
    node.id === 'text'
      ? {
          ...node,
          island: 'i',
          props: { ...node.props, bindings: [{ source: 'app.k', field: 'specials.text' }] },
        }
      : node,
  ),
  slots: [{ name: 'inner', nodeId: 'text' }],
  traits: [
    {
      key: 'look',
      label: 'Look',
      attributes: [{ widget: 'color', slot: 'inner', target: 'style', writeKey: 'color' }],
    },
  ],
};

const reference = {
  id: 'ref',
  type: 'blockRef',
  props: {
    specials: { appId: 'app_1', blockKey: 'reviews' },
    settings: { inner: { style: { base: { color: 'blue' } }, config: {}, specials: { text: 'j' } } },
  },
};

const document = {
  rootId: 'page',
  nodes: [{ id: 'page', type: 'container', children: ['root', 'ref'] }, ...nodes, reference],
};

const wrong: readonly unknown[] = [null, 0, 1.5, true, '', 'x', [], [null], ['x'], {}, { type: 'text' }];
/** Keys that are read in some object and are added to others. */
const foreign = ['marks', 'content', 'attrs', 'text', 'props', 'children', 'settings', 'style', '__proto__'];

/** Yields the value with one error at a time: a part replaced by something else, or an unexpected key added. */
function* broken(value: unknown, place = ''): Generator<[place: string, whole: unknown]> {
  for (const other of wrong) yield [`${place} ${JSON.stringify(other)}`, other];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const [where, changed] of broken(inner, `${place}/${key}`)) {
      yield [where, Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed }];
    }
  }
  if (Array.isArray(value)) return;
  for (const key of foreign.filter((each) => !Object.hasOwn(value, each))) {
    // `__proto__` is added as an own key too, as JSON.parse does.
    const given = [null, 5, [null], {}].map((other): [string, unknown] => [key, other]);
    for (const entry of given) {
      yield [
        `${place}/${key} ${JSON.stringify(entry[1])}`,
        Object.fromEntries([...Object.entries(value), entry]),
      ];
    }
  }
}

function makePage(from: PageDocument, known: Block): void {
  const stored = normaliseDocument(from);
  references(stored);
  const tree = materialise(stored, { sections: new Map(), block: () => known, publish: true });
  if (!tree) return;
  references(tree);
  render(resolve(tree, createFacts({ words: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] })));
}

/** Returns the broken values that make the check or the renderer throw. */
function unbearable(value: unknown, use: (broken: unknown) => boolean): string[] {
  let passed = 0;
  let all = 0;
  const found: string[] = [];
  for (const [place, changed] of broken(value)) {
    all++;
    try {
      if (use(changed)) passed++;
    } catch (error) {
      found.push(`${place}: ${error}`);
    }
  }
  // Some changes are valid; most are not.
  expect(passed).toBeGreaterThan(100);
  expect(all - passed).toBeGreaterThan(1000);
  return found;
}

test('a document that is wrong in any one place is refused, or becomes a page', () => {
  expect(checkDocument(vocabulary, document)).toEqual([]);
  const found = unbearable(document, (changed) => {
    if (checkDocument(vocabulary, changed).length > 0) return false;
    makePage(changed as PageDocument, block as Block);
    return true;
  });
  expect(found).toEqual([]);
});

test('a document that is wrong in any one place can be drawn while it is edited', () => {
  const sources = { currency: 'EUR', sections: {}, products: {}, media: {}, pages: {}, appValues: [] };
  const apps = { app_1: { blocks: { reviews: block as Block } } };
  const found = unbearable(document, (changed) => {
    renderDocument(changed as PageDocument, { ...sources, apps }, { canvas: true });
    references(tolerateDocument(changed));
    return checkDocument(vocabulary, changed).length === 0;
  });
  expect(found).toEqual([]);
});

test('a block that is wrong in any one place is refused, or becomes part of a page', () => {
  expect(checkBlock(vocabulary, block)).toEqual([]);
  const found = unbearable(block, (changed) => {
    if (checkBlock(vocabulary, changed).length > 0) return false;
    makePage({ rootId: 'ref', nodes: [reference] }, changed as Block);
    return true;
  });
  expect(found).toEqual([]);
});
