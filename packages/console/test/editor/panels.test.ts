import { checkDocument, type PageDocument, vocabulary } from '@waybill/page';
import { Editor } from '../../src/editor/core/editor.ts';
import { starterIds } from '../../src/editor/elements/starter-ids.ts';
import { elementFragment, starterFragment } from '../../src/editor/elements/starters.ts';
import {
  createPointer,
  type EditTarget,
  getGroup,
  isValidInput,
  listClosedSettings,
  listCommonFields,
  listFields,
  listOpenTargets,
  normalizeNumber,
  readField,
  setFields,
} from '../../src/editor/panels/fields.ts';
import { findItem } from '../../src/editor/panels/list-items.ts';
import { listTokens, readToken } from '../../src/editor/panels/tokens.ts';
import { compareDocuments, hasNoChanges } from '../../src/editor/screen/comparison.ts';
import type { CatalogueBlock } from '../../src/editor/workbench/catalogue.ts';
import dePanels from '../../src/texts/de/editor-panels.ts';
import deSamples from '../../src/texts/de/editor-samples.ts';
import enPanels from '../../src/texts/en/editor-panels.ts';
import enSamples from '../../src/texts/en/editor-samples.ts';

const types = vocabulary.elementTypes;
const field = (type: string, target: string, key: string) =>
  listFields(types[type]!).find((one) => one.target === target && one.key === key)!;

function createEditor(document: PageDocument): Editor {
  return new Editor(vocabulary, document, () => 0);
}

const page = (props: object): PageDocument => ({
  rootId: 'root',
  nodes: [
    { id: 'root', type: 'section', children: ['a', 'b'] },
    { id: 'a', type: 'text', props },
    { id: 'b', type: 'heading', props: { specials: { text: 'B' } } },
  ],
});

describe('what can be put on a page', () => {
  const context = {
    productIds: ['prd_1', 'prd_2'],
    picture: { id: 'mda_1', alt: '' },
    hasMainHeading: true,
  };
  const inRoot = ({ rootId, nodes }: PageDocument): PageDocument => ({
    rootId: 'page',
    nodes: [{ id: 'page', type: 'section', children: [rootId] }, ...nodes],
  });

  it.each([enSamples, deSamples])(
    'each element and each ready-made part is valid as it is put in',
    (samples) => {
      const elements = Object.keys(types).filter((type) => type !== 'blockRef' && type !== 'sectionRef');
      const made = [
        ...elements.map((type) => elementFragment(type, samples)),
        ...starterIds.flatMap((id) => [
          starterFragment(id, samples, context),
          starterFragment(id, samples, { productIds: [], picture: null, hasMainHeading: false }),
        ]),
      ];
      for (const fragment of made) expect(checkDocument(vocabulary, inRoot(fragment))).toEqual([]);
    },
  );

  it('creates new ids each time', () => {
    const [one, other] = [
      starterFragment('hero', enSamples, context),
      starterFragment('hero', enSamples, context),
    ];
    const ids = new Set([...one.nodes, ...other.nodes].map(({ id }) => id));
    expect(ids.size).toBe(one.nodes.length + other.nodes.length);
  });
});

describe('the theme’s values', () => {
  it('are offered by name where the vocabulary takes them, and words name them all', () => {
    expect(listTokens(field('text', 'style', 'color').type)).toContain('color.primary');
    expect(listTokens(field('text', 'style', 'fontFamily').type)).toEqual(['font.heading', 'font.body']);
    expect(listTokens(field('text', 'style', 'paddingTop').type)).toEqual(['spacing']);
    expect(listTokens(field('text', 'style', 'fontSize').type)).toEqual([]);
    const all = new Set(Object.values(vocabulary.writeKeys.style).flatMap(listTokens));
    for (const words of [enPanels, dePanels]) expect(new Set(Object.keys(words.tokens))).toEqual(all);
    expect([readToken({ token: 'radius' }), readToken('#fff'), readToken({ src: 'mda_1' })]).toEqual([
      'radius',
      undefined,
      undefined,
    ]);
  });

  it('can be set, on several elements at once', () => {
    const editor = createEditor(page({}));
    const edited: EditTarget = { kind: 'nodes', ids: ['a', 'b'] };
    const color = field('text', 'style', 'color');
    expect(setFields(editor, edited, [color], 'base', { token: 'color.accent' }, 'x')).toBeUndefined();
    expect(readField(editor, edited, color, 'mobile')).toEqual({
      value: { token: 'color.accent' },
      origin: 'wider',
      isMixed: false,
    });
    expect(setFields(editor, edited, [color], 'base', { token: 'radius' }, 'x')).toBeDefined();
  });
});

describe('the inspector', () => {
  const edited: EditTarget = { kind: 'nodes', ids: ['a'] };

  it('has a control for every write key that the vocabulary gives an element', () => {
    const all = Object.values(types).flatMap(listFields);
    for (const [target, keys] of Object.entries(vocabulary.writeKeys)) {
      const shown = new Set(all.filter((one) => one.target === target).map(({ key }) => key));
      const hidden = Object.keys(keys).filter((key) => !shown.has(key));
      expect(hidden).toEqual([]);
    }
    for (const one of all) expect(getGroup(one)).toBeDefined();
  });

  it('says where a value comes from: set here, a wider width, the default', () => {
    const editor = createEditor(
      page({ style: { base: { fontSize: '18px' }, mobile: { fontSize: '14px' } } }),
    );
    const size = field('text', 'style', 'fontSize');
    expect(readField(editor, edited, size, 'base')).toMatchObject({ value: '18px', origin: 'own' });
    expect(readField(editor, edited, size, 'tablet')).toMatchObject({ value: '18px', origin: 'wider' });
    expect(readField(editor, edited, size, 'mobile')).toMatchObject({ value: '14px', origin: 'own' });
    const tag = field('text', 'specials', 'tag');
    expect(readField(editor, edited, tag, 'mobile')).toMatchObject({ value: 'p', origin: 'default' });
  });

  it('sets a value at the width that is shown, and takes it away without a trace', () => {
    const editor = createEditor(page({}));
    const size = field('text', 'style', 'fontSize');
    expect(setFields(editor, edited, [size], 'mobile', '20px', 'x')).toBeUndefined();
    expect(editor.document.nodes[1]!.props).toEqual({ style: { mobile: { fontSize: '20px' } } });
    setFields(editor, edited, [size], 'mobile', undefined, 'x');
    expect(editor.document.nodes[1]!.props).toEqual({});
    expect(setFields(editor, edited, [size], 'base', 'url(x)', 'x')).toMatchObject({
      pointer: expect.stringContaining('fontSize'),
    });
  });

  it('sets several elements at once to what all of them have', () => {
    const editor = createEditor(page({ specials: { text: 'A' } }));
    const both: EditTarget = { kind: 'nodes', ids: ['a', 'b'] };
    const common = listCommonFields([types.text!, types.heading!]);
    expect(common.some(({ target }) => target === 'specials')).toBe(false);
    const color = common.find(({ key }) => key === 'color')!;
    setFields(editor, both, [color], 'base', '#112233', 'x');
    expect(readField(editor, both, color, 'base')).toEqual({
      value: '#112233',
      origin: 'own',
      isMixed: false,
    });
    setFields(editor, { kind: 'nodes', ids: ['b'] }, [color], 'base', '#445566', 'x');
    expect(readField(editor, both, color, 'base').isMixed).toBe(true);
  });

  it('sets all sides by one step; a side that takes no such value leaves the others as they were', () => {
    const editor = createEditor(page({}));
    const sides = ['Top', 'Right', 'Bottom', 'Left'].map((side) => field('text', 'style', `padding${side}`));
    for (const value of ['1px', '12px']) setFields(editor, edited, sides, 'base', value, 'x');
    const padding = {
      paddingTop: '12px',
      paddingRight: '12px',
      paddingBottom: '12px',
      paddingLeft: '12px',
    };
    expect(editor.document.nodes[1]!.props).toEqual({ style: { base: padding } });
    expect(editor.state.history.done).toHaveLength(1);
    const withColor = [...sides, field('text', 'style', 'color')];
    expect(setFields(editor, edited, withColor, 'base', '3px', 'x')).toMatchObject({
      pointer: expect.stringContaining('color'),
    });
    expect(editor.document.nodes[1]!.props).toEqual({ style: { base: padding } });
    editor.undo();
    expect(editor.document.nodes[1]!.props).toEqual({});
  });

  it('knows a value by what is typed', () => {
    const { style } = vocabulary.writeKeys;
    expect(isValidInput(style.lineHeight!, '1.5')).toBe(true);
    expect(isValidInput(style.fontSize!, '12px')).toBe(true);
    expect(isValidInput(style.fontSize!, '12px;')).toBe(false);
    expect(isValidInput(style.opacity!, '2')).toBe(false);
    expect(isValidInput(style.zIndex!, '1.5')).toBe(false);
  });

  it.each([
    ['lineHeight', '1,5', 'de', '1.5'],
    ['lineHeight', '1.5', 'de', '1.5'],
    ['opacity', '0,25', 'en', '0.25'],
    ['fontSize', '1,25 rem', 'de', '1.25rem'],
    ['fontSize', '12px', 'de', '12px'],
    ['fontSize', 'clamp(1rem,2vw,3rem)', 'de', 'clamp(1rem,2vw,3rem)'],
    ['zIndex', '1,5', 'de', '1,5'],
  ])('reads a number of %s, %s, as the language %s writes it: %s', (key, typed, language, value) => {
    expect(normalizeNumber(vocabulary.writeKeys.style[key]!, typed, language)).toBe(value);
  });
});

describe('an item of a list that has changed since', () => {
  const [a, b, c] = [{ src: 'a' }, { src: 'b' }, { src: 'c' }];

  it('is found where it is now, also if it was itself changed', () => {
    expect(findItem([a, b, c], 1, [a, b, c])).toBe(1);
    expect(findItem([a, b, c], 1, [c, a, b])).toBe(2);
    expect(findItem([a, b, c], 1, [a, { ...b, alt: 'B' }, c])).toBe(1);
    expect(findItem([a, b, c], 1, [{ ...b, alt: 'B' }, a, c])).toBe(0);
  });

  it('is not taken for another one if it is gone', () => {
    expect(findItem([a, b, c], 1, [a, c])).toBe(-1);
    expect(findItem([a, b, c], 2, [a, b])).toBe(-1);
  });
});

describe('the trait bar of a block', () => {
  const block = {
    appId: 'app_1',
    appName: 'App',
    versionId: 'ver_1',
    versionNumber: 1,
    key: 'card',
    name: 'Card',
    rootId: 'r',
    nodes: [
      { id: 'r', type: 'container', children: ['t'] },
      {
        id: 't',
        type: 'heading',
        props: { specials: { text: 'Author' }, style: { base: { color: '#000000' } } },
      },
    ],
    slots: [{ name: 'title', nodeId: 't' }],
    traits: [
      {
        key: 'look',
        label: 'Look',
        attributes: [{ widget: 'color', slot: 'title', target: 'style' as const, writeKey: 'color' }],
      },
    ],
  } satisfies CatalogueBlock;
  const reference = (settings: object): PageDocument => ({
    rootId: 'root',
    nodes: [
      { id: 'root', type: 'section', children: ['x'] },
      {
        id: 'x',
        type: 'blockRef',
        props: { specials: { appId: 'app_1', blockKey: 'card' }, settings } as object,
      },
    ],
  });
  const edited: EditTarget = { kind: 'slot', referenceId: 'x', slot: 'title', block };

  it('opens the whole namespace of a target on its slot, not only the named key (rule 2)', () => {
    const [opening] = listOpenTargets(block);
    expect(opening).toMatchObject({ slot: 'title', target: 'style' });
    expect(listOpenTargets(block)).toHaveLength(1);
    const styles = listFields(opening!.type).filter(({ target }) => target === 'style');
    expect(styles.length).toBeGreaterThan(50);
  });

  it('keeps what the merchant sets on the reference, over what the author set', () => {
    const editor = createEditor(reference({}));
    const color = field('heading', 'style', 'color');
    expect(readField(editor, edited, color, 'base')).toMatchObject({ value: '#000000', origin: 'author' });
    expect(setFields(editor, edited, [color], 'base', '#ff0000', 'x')).toBeUndefined();
    expect(readField(editor, edited, color, 'base')).toMatchObject({ value: '#ff0000', origin: 'own' });
    expect(editor.document.nodes[1]!.props!.settings).toEqual({
      title: { style: { base: { color: '#ff0000' } } },
    });
    expect(createPointer(edited, color, 'base')).toBe('/props/settings/title/style/base/color');
    setFields(editor, edited, [color], 'base', undefined, 'x');
    expect(editor.document.nodes[1]!.props!.settings).toEqual({});
  });

  it('tells of settings whose control is gone (rule 3)', () => {
    const settings = {
      title: { style: { base: { color: '#ff0000' } }, specials: { text: 'Mine' } },
      gone: { style: {} },
    };
    expect(listClosedSettings(settings, listOpenTargets(block))).toEqual([
      { slot: 'title', target: 'specials' },
      { slot: 'gone', target: 'style' },
    ]);
  });
});

describe('what differs between two states', () => {
  const before = page({ specials: { text: 'A' }, style: { base: { color: '#000000', fontSize: '12px' } } });

  it('has no difference if only the order of keys differs', () => {
    const after = page({ style: { base: { fontSize: '12px', color: '#000000' } }, specials: { text: 'A' } });
    expect(hasNoChanges(compareDocuments(before, after))).toBe(true);
  });

  it('tells texts, looks, what came and went, and what moved', () => {
    const after: PageDocument = {
      rootId: 'root',
      nodes: [
        { id: 'root', type: 'section', children: ['b', 'a', 'c'] },
        { id: 'b', type: 'heading', props: { specials: { text: 'New' } } },
        { id: 'a', type: 'text', props: { specials: { text: 'A' } } },
        { id: 'c', type: 'divider' },
      ],
    };
    const found = compareDocuments(before, after);
    expect(found.texts).toEqual([{ node: after.nodes[1], before: 'B', after: 'New' }]);
    expect(found.changed.map(({ id }) => id)).toEqual(['a']);
    expect(found.added.map(({ id }) => id)).toEqual(['c']);
    expect(found.removed).toEqual([]);
    expect(found.moved).toBe(1);
    expect(compareDocuments(after, before).removed.map(({ id }) => id)).toEqual(['c']);
  });
});
