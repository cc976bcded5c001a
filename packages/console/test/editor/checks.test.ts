import {
  type DocumentSources,
  type Json,
  type PageDocument,
  type PageNode,
  type PerBreakpoint,
  pageStyle,
  standardTheme,
} from '@waybill/page';
import fc from 'fast-check';
import { type CheckedPage, checkPage } from '../../src/editor/checks/page-checks.ts';
import { documents } from './edits.ts';

const sources: DocumentSources = {
  currency: 'EUR',
  sections: {
    sec_1: {
      rootId: 'r',
      nodes: [
        { id: 'r', type: 'container', children: ['i'] },
        { id: 'i', type: 'image', props: { specials: { src: 'mda_1' } } },
      ],
    },
  },
  apps: {},
  products: {},
  media: { mda_1: { url: '/media/str_1/mda_1' }, mda_2: { url: '/media/str_1/mda_2', alt: 'Tea' } },
  pages: { pag_live: '/live' },
  appValues: [],
};

type Own = [type: string, specials?: Record<string, Json>, style?: PerBreakpoint, children?: Own[]];

/** Builds a page of elements; the n-th in page order has the id `n<n>`. */
function page(...all: Own[]): PageDocument {
  const nodes: PageNode[] = [];
  const add = ([type, specials, style, children = []]: Own): string => {
    const id = `n${nodes.length}`;
    const at = nodes.push({ id, type }) - 1;
    nodes[at] = {
      id,
      type,
      children: children.map(add),
      props: { ...(specials && { specials }), ...(style && { style }) },
    };
    return id;
  };
  add(['container', {}, undefined, all]);
  return { rootId: 'n0', nodes };
}

const found = (document: PageDocument, about?: CheckedPage) =>
  checkPage(document, sources, about).map(({ id, code }) => [id, code]);
const part = (...all: Own[]) => found(page(...all), { isPart: true });

test('a page without barriers has no problems', () => {
  const document = page(
    ['heading', { text: 'Tea', level: 1 }],
    ['image', { src: 'mda_2' }],
    ['image', { src: 'mda_1', alt: 'Leaves' }],
    // Decoration beside the words of its link.
    ['link', { text: 'Tea House', href: 'https://x.example' }, undefined, [['image', { src: 'mda_1' }]]],
    ['heading', { text: 'Green' }],
    ['button', { text: 'Buy', href: { type: 'page', pageId: 'pag_live' } }],
    ['link', { href: 'https://x.example', text: 'More' }],
    [
      'form',
      {},
      undefined,
      [
        ['field', { label: 'Name' }],
        ['button', { text: 'Send' }],
      ],
    ],
  );
  expect(found(document, { title: 'Tea', description: 'All about tea' })).toEqual([]);
});

test('pictures without a text of their own or of their asset are found, also in galleries and sections', () => {
  expect(
    part(
      ['image', { src: 'mda_1' }],
      ['gallery', { items: [{ src: 'mda_1' }, { src: 'mda_1', text: 'x' }] }],
      ['sectionRef', { sectionId: 'sec_1' }],
      ['image', {}],
    ),
  ).toEqual([
    ['n1', 'missingAlt'],
    ['n2', 'missingAlt'],
    ['n3', 'missingAlt'],
  ]);
  const [own, gallery, section] = checkPage(
    page(
      ['image', { src: 'mda_1' }],
      ['gallery', { items: ['a', { src: 'mda_1' }] }],
      ['sectionRef', { sectionId: 'sec_1' }],
    ),
    sources,
    { isPart: true },
  );
  expect([own!.pointer, gallery!.pointer, section!.pointer]).toEqual([
    '/props/specials/alt',
    '/props/specials/items/1/alt',
    undefined,
  ]);
});

test('headings without a main one, with two, or with a level left out are found, also in rich text', () => {
  const heading = (text: string, level: number): Own => ['heading', { text, level }];
  const rich: Json = {
    type: 'doc',
    content: [{ type: 'heading', attrs: { level: 4 }, content: [{ type: 'text', text: 'Deep' }] }],
  };
  expect(found(page(heading('a', 2), heading('b', 3)))).toEqual([['n1', 'noMainHeading']]);
  expect(found(page(heading('a', 1), heading('b', 1), heading('', 6)))).toEqual([['n2', 'manyMainHeadings']]);
  expect(found(page(heading('a', 1), ['richText', { doc: rich }], heading('b', 2)))).toEqual([
    ['n2', 'skippedHeading'],
  ]);
  expect(part(heading('a', 3), heading('b', 2))).toEqual([]);
});

test('links and buttons without words, and those that lead to what is not live, are found', () => {
  const rich: Json = {
    type: 'doc',
    content: [
      {
        type: 'paragraph',
        content: [
          {
            type: 'text',
            text: 'x',
            marks: [{ type: 'link', attrs: { href: { type: 'page', pageId: 'pag_off' } } }],
          },
        ],
      },
    ],
  };
  expect(
    part(
      ['link', { href: 'https://x.example' }, undefined, [['icon', { icon: 'star' }]]],
      ['link', { href: 'https://x.example', ariaLabel: 'Star' }, undefined, [['icon', { icon: 'star' }]]],
      ['button', { text: '', icon: 'star', href: '#' }],
      ['button', { text: 'Nowhere' }],
      ['link', { text: 'off', href: { type: 'page', pageId: 'pag_off' } }],
      ['list', { items: [{ text: 'off', href: { type: 'page', pageId: 'pag_off' } }] }],
      ['richText', { doc: rich }],
    ),
  ).toEqual([
    ['n1', 'emptyLink'],
    ['n5', 'emptyLink'],
    ['n6', 'deadButton'],
    ['n7', 'deadLink'],
    ['n8', 'deadLink'],
    ['n9', 'deadLink'],
  ]);
});

test('anchors that are there twice or not at all are found', () => {
  expect(
    found(
      page(
        ['heading', { text: 'a', level: 1, anchorId: 'top' }],
        ['text', { text: 'b', anchorId: 'top' }],
        ['link', { text: 'c', href: { type: 'anchor', anchorId: 'end' } }],
        ['link', { text: 'c', href: '#top' }],
      ),
    ),
  ).toEqual([
    ['n2', 'sameAnchor'],
    ['n3', 'deadAnchor'],
  ]);
});

test('fields without a label, forms that cannot be sent, products and videos that say nothing are found', () => {
  expect(
    part(
      [
        'form',
        {},
        undefined,
        [
          ['field', { label: ' ' }],
          ['checkbox', {}],
        ],
      ],
      ['product', { productId: 'prd_1' }],
      ['video', { src: 'https://x.example/v.mp4' }],
    ),
  ).toEqual([
    ['n1', 'noSubmit'],
    ['n2', 'missingLabel'],
    ['n4', 'goneProduct'],
    ['n5', 'missingTitle'],
  ]);
});

test('what search engines would cut is said of the page', () => {
  const about = { isPart: true, title: 'x'.repeat(61), description: 'x'.repeat(161) };
  expect(found(page(), about)).toEqual([
    [null, 'longTitle'],
    [null, 'longDescription'],
  ]);
});

describe('contrast', () => {
  const on = (color: string, background: string, more: Record<string, Json> = {}): Own => [
    'container',
    {},
    { base: { backgroundColor: background } },
    [['text', { text: 'words' }, { base: { color, ...more } }]],
  ];
  test.each([
    ['#777', '#fff', {}, 4.4],
    ['#767676', '#fff', {}, undefined],
    ['#949494', 'white', { fontSize: '24px' }, undefined],
    ['#959595', 'white', { fontSize: '1.5rem' }, 2.9],
    ['#949494', 'white', { fontSize: '19px', fontWeight: 'bold' }, undefined],
    ['rgb(119, 119, 119)', 'hsl(0, 0%, 100%)', {}, 4.4],
    ['red', 'rgba(0, 0, 0, 0.5)', {}, 1],
    ['#777', '#fff', { opacity: 0.5 }, undefined],
    ['#777', 'transparent', {}, 4.4],
  ])('of %s on %s (%j) is %s', (color, background, more, ratio) => {
    const problems = checkPage(page(on(color, background, more)), sources, { isPart: true });
    expect(problems.map(({ code, id, detail }) => [code, id, detail.ratio])).toEqual(
      ratio === undefined ? [] : [['contrast', 'n2', ratio]],
    );
  });

  test('uses the store’s theme, also for colours by name', () => {
    const colors = { ...standardTheme.colors, primary: '#ffc9d7', background: '#1c1f23', text: '#ffffff' };
    const look = (...own: Own[]) =>
      checkPage(page(...own), sources, { isPart: true, colors }).map(({ id, code }) => [id, code]);
    expect(look(['button', { text: 'Go', href: 'https://a.example' }], ['text', { text: 'x' }])).toEqual([
      ['n1', 'contrast'],
    ]);
    const named = {
      base: { color: { token: 'color.surface' }, backgroundColor: { token: 'color.primary' } },
    };
    expect(look(['text', { text: 'x' }, named])).toEqual([['n1', 'contrast']]);
    const readable = { base: { ...named.base, color: { token: 'color.background' } } };
    expect(look(['text', { text: 'x' }, readable])).toEqual([]);
  });

  test('is checked at each width, and not in front of a picture', () => {
    expect(part(['text', { text: 'x' }, { base: { color: 'black' }, mobile: { color: 'white' } }])).toEqual([
      ['n1', 'contrast'],
    ]);
    expect(
      part([
        'container',
        {},
        { base: { backgroundImage: { src: 'mda_1' } } },
        [['text', { text: 'x' }, { base: { color: 'white' } }]],
      ]),
    ).toEqual([]);
    expect(part(['text', { text: '' }, { base: { color: 'white' } }])).toEqual([]);
  });

  test('of unstyled text is sufficient, and matches the page’s styles', () => {
    expect(
      part(
        ['text', { text: 'x', tag: 'small' }],
        ['link', { text: 'x', href: '/a' }],
        ...['primary', 'secondary', 'plain'].map(
          (variant): Own => ['button', { text: 'x', href: '/a', variant }],
        ),
      ),
    ).toEqual([]);
    const baseCss = pageStyle('');
    expect(baseCss).toContain(`--wb-color-text:${standardTheme.colors.text};`);
    expect(baseCss).toContain(`--wb-color-muted:${standardTheme.colors.muted};`);
    expect(baseCss).toContain(`--wb-color-accent:${standardTheme.colors.accent};`);
    expect(baseCss).toContain(`--wb-color-primary:${standardTheme.colors.primary};`);
    expect(baseCss).toContain('--wb-color-on-primary:#fff;');
  });
});

test('elements that are hidden at every width are not checked', () => {
  const hidden = (config: PerBreakpoint): PageDocument => ({
    rootId: 'n0',
    nodes: [{ id: 'n0', type: 'image', props: { specials: { src: 'mda_1' }, config } }],
  });
  expect(found(hidden({ base: { hidden: true } }))).toEqual([]);
  expect(found(hidden({ base: { hidden: true }, mobile: { hidden: false } }))).toEqual([
    ['n0', 'missingAlt'],
  ]);
});

test('any document is checked, and each place is one of its own', () => {
  fc.assert(
    fc.property(documents, (document) => {
      const ids = new Set(document.nodes.map(({ id }) => id));
      for (const { id } of checkPage(document, sources)) expect(ids.has(id!)).toBe(true);
    }),
    { numRuns: 100 },
  );
});
