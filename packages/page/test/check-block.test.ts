import { checkBlock, vocabulary } from '../src/index.ts';

/** A valid block. */
const block = {
  key: 'reviews',
  name: 'Reviews',
  icon: 'star',
  rootId: 'box',
  nodes: [
    { id: 'box', type: 'container', children: ['title'], props: {} },
    {
      id: 'title',
      type: 'heading',
      island: 'stars',
      props: {
        specials: { text: 'Reviews' },
        bindings: [{ source: 'app.rating', field: 'specials.text' }],
      },
    },
  ],
  slots: [{ name: 'title', nodeId: 'title' }],
  traits: [
    {
      key: 'look',
      label: 'Look',
      attributes: [
        { widget: 'color', slot: '$root', target: 'style', writeKey: 'color' },
        { widget: 'text', slot: 'title', target: 'specials', writeKey: 'text' },
      ],
    },
  ],
};

/** Returns the problems of a block that differs from the valid one. */
function problems(changes: object): string[] {
  return checkBlock(vocabulary, { ...block, ...changes }, '/blocks/0').map(
    ({ code, pointer, message }) => `${code} ${pointer.replace('/blocks/0', '')} ${message}`,
  );
}
const title = (changes: object) => problems({ nodes: [block.nodes[0], { ...block.nodes[1], ...changes }] });
const slot = (changes: object) =>
  problems({ traits: [], slots: [{ name: 'a', nodeId: 'title', ...changes }] });
const attribute = (changes: object) => {
  const [trait] = block.traits;
  const attributes = [{ ...trait!.attributes[0], ...changes }];
  return problems({ traits: [{ ...trait, attributes }] });
};

test('a good block has no problems, with or without what may be left out', () => {
  expect(problems({})).toEqual([]);
  expect(problems({ slots: undefined, traits: undefined, icon: undefined })).toEqual([]);
  expect(problems({ icon: 'no such icon' })).toEqual([]);
});

describe('invalid_block', () => {
  test.each([null, [], 'block', undefined])('%j is no block', (value) => {
    expect(checkBlock(vocabulary, value)).toEqual([
      { code: 'invalid_block', pointer: '', message: 'must be an object' },
    ]);
  });

  test.each<[object, string]>([
    ...['No', 'a b', '-a', 'a-', 'a--b', '', 'a'.repeat(65), 1, undefined].map((key): [object, string] => [
      { key },
      'invalid_block /key must be a lower-case slug of at most 64 characters',
    ]),
    ...['', ' ', 'a'.repeat(201), 1].map((name): [object, string] => [
      { name },
      'invalid_block /name must be a string of 1 to 200 characters, at least one of them visible',
    ]),
    [{ icon: 1 }, 'invalid_block /icon must be a string'],
    [{ icon: null }, 'invalid_block /icon must be a string'],
    [{ slots: null, traits: [] }, 'invalid_block /slots must be an array'],
    [{ traits: null }, 'invalid_block /traits must be an array'],
    [{ rootId: 1 }, 'invalid_block /rootId must be the id of a node'],
    [{ slots: {}, traits: [] }, 'invalid_block /slots must be an array'],
    [{ traits: {} }, 'invalid_block /traits must be an array'],
    [{ traits: [1] }, 'invalid_block /traits/0 must be an object'],
  ])('%j', (changes, problem) => expect(problems(changes)).toEqual([problem]));

  test('of a slot', () => {
    expect(slot({})).toEqual([]);
    expect(slot({ nodeId: 'gone' })).toEqual(['invalid_block /slots/0/nodeId names no node']);
    expect(slot({ name: '$root' })).toEqual(['invalid_block /slots/0/name is reserved for the root']);
    expect(slot({ name: '' })).toEqual([
      'invalid_block /slots/0/name must be a string of 1 to 64 characters',
    ]);
    const twice = [block.slots[0], block.slots[0]];
    expect(problems({ slots: twice })).toEqual([
      'invalid_block /slots/1/name is the name of another slot too',
    ]);
  });

  test('of a trait and its attributes', () => {
    expect(problems({ traits: [{ key: '', label: 1, attributes: 'x' }] })).toEqual([
      'invalid_block /traits/0/key must be a string of 1 to 64 characters',
      'invalid_block /traits/0/label must be a string of 1 to 200 characters, at least one of them visible',
      'invalid_block /traits/0/attributes must be an array',
    ]);
    const twice = [block.traits[0], block.traits[0]];
    expect(problems({ traits: twice })).toEqual([
      'invalid_block /traits/1/key is the key of another trait too',
    ]);
    const place = '/traits/0/attributes/0';
    expect(attribute({ slot: 'gone' })).toEqual([
      `invalid_block ${place}/slot must be a name from slots, or $root`,
    ]);
    expect(attribute({ target: 'props' })).toEqual([
      `invalid_block ${place}/target must be one of style, config, specials`,
    ]);
    expect(attribute({ writeKey: undefined })).toEqual([`invalid_block ${place}/writeKey is required`]);
    expect(attribute({ widget: 1 })).toEqual([`invalid_block ${place}/widget must be the name of a widget`]);
  });

  test('of a node: its props, its island, its bindings', () => {
    expect(title({ props: { specials: { text: 1 } } })).toEqual([
      'invalid_block /nodes/1/props/specials/text must be a string',
    ]);
    expect(title({ island: 1 })).toEqual(['invalid_block /nodes/1/island must be the name of an island']);
    const bound = (source: unknown, field: unknown) =>
      title({ props: { bindings: [{ source, field }] } }).map((each) =>
        each.replace('/nodes/1/props/bindings/0', ''),
      );
    expect(bound('app.rating', 'specials.text')).toEqual([]);
    for (const source of ['rating', 'app.', 'app.app_1.Rating', 'site.x', 'app._x', 1]) {
      expect(bound(source, 'specials.text')).toEqual([
        'invalid_block /source must be app.<key> with the key of an app-data value',
      ]);
    }
    for (const field of ['specials.level', 'text', 'style.color', 'specials.__proto__']) {
      expect(bound('app.rating', field)).toEqual([
        'invalid_block /field is not a field that this element can be bound at: specials.text, specials.ariaLabel',
      ]);
    }
    expect(title({ props: { bindings: {} } })).toEqual([
      'invalid_block /nodes/1/props/bindings must be an array',
    ]);
  });
});

test('invalid_block_subtree: a subtree that is no tree', () => {
  expect(problems({ rootId: 'gone' })).toEqual(['invalid_block_subtree /rootId names no node']);
  expect(problems({ nodes: [], slots: [], traits: [] })).toEqual([
    'invalid_block_subtree /nodes must hold the root at least',
  ]);
  expect(problems({ rootId: 'title' })).toEqual([
    'invalid_block_subtree /nodes/0 is not reached from the root',
  ]);
});

test('invalid_block_subtree: an edge that breaks the tree is no child that its element may not have', () => {
  const place = 'invalid_block_subtree /nodes/1/children/0';
  expect(title({ children: [block.rootId] })).toEqual([
    `${place} is the child of another node, or above this one`,
  ]);
  expect(title({ children: ['gone'] })).toEqual([`${place} names no node`]);
});

test('unknown_element_type: references stand in documents only, and nobody is told otherwise', () => {
  const unknown = (type: string) => title({ type, props: undefined });
  expect(unknown('hedding')).toEqual([
    'unknown_element_type /nodes/1/type is no element type (did you mean heading?)',
  ]);
  for (const type of ['blockRef', 'sectionRef']) {
    expect(unknown(type)).toEqual(['unknown_element_type /nodes/1/type is no element type']);
    expect(title({ type })).toEqual(['unknown_element_type /nodes/1/type is no element type']);
  }
});

test('unknown_trait_widget, unknown_write_key: with what was meant; a widget need not suit its key', () => {
  const place = '/traits/0/attributes/0';
  expect(attribute({ widget: 'colour' })).toEqual([
    `unknown_trait_widget ${place}/widget is no widget (did you mean color?)`,
  ]);
  expect(attribute({ writeKey: 'colr' })).toEqual([
    `unknown_write_key ${place}/writeKey is no style key (did you mean color?)`,
  ]);
  expect(attribute({ target: 'specials', writeKey: 'color' })[0]).toContain('is no specials key');
  expect(attribute({ writeKey: '__proto__' })).toEqual([
    `unknown_write_key ${place}/writeKey is no style key`,
  ]);
  expect(attribute({ widget: 'product' })).toEqual([]);
});

test('claims to be a block reference are stripped, not refused', () => {
  const claim = { appId: 'x', blockKey: 1, settings: 'x' };
  expect(title({ props: { ...claim, specials: { text: 'x', ...claim } } })).toEqual([]);
});

test('names are those of the vocabulary that is given', () => {
  const { heading, ...elementTypes } = vocabulary.elementTypes;
  const other = { ...vocabulary, elementTypes, widgets: {} };
  const [unknownType, ...others] = checkBlock(other, block, '/x');
  expect(unknownType).toEqual({
    code: 'unknown_element_type',
    pointer: '/x/nodes/1/type',
    message: 'is no element type',
  });
  expect(others.map(({ code }) => code)).toEqual(['unknown_trait_widget', 'unknown_trait_widget']);
  expect(heading).toBeDefined();
});
