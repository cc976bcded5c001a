import fc from 'fast-check';

type Json = Record<string, unknown>;

/** A block that a test builds and breaks. */
export interface TestBlock {
  [field: string]: unknown;
  key: string;
  name: string;
  rootId: string;
  nodes: (Json & { id: string; type: string; children?: string[]; props?: Json })[];
  slots: Json[];
  traits: (Json & { attributes: Json[] })[];
}

/** The islands that the version declares. */
export const islands = ['carousel', 'rating'];

const boxes = ['section', 'container', 'stack', 'grid'];
const leaves = {
  heading: { text: 'Reviews', level: 2 },
  text: { text: 'Ünïcode  "quoted" & <b>' },
  button: { text: 'More', href: { type: 'url', url: 'https://example.com/?a=1&b=2' } },
  icon: { icon: 'star' },
  divider: {},
  list: { items: ['one', { text: 'two' }] },
  price: { text: '' },
} as const;
const styles = [
  { paddingTop: '8px' },
  { color: '#aabbcc', fontSize: '1.25rem' },
  { paddingTop: null },
  { opacity: 0.5 },
  {},
];
const attributes = [
  { widget: 'text', target: 'specials', writeKey: 'text' },
  { widget: 'spacing', target: 'style', writeKey: 'paddingTop' },
  { widget: 'toggle', target: 'config', writeKey: 'hidden' },
  { widget: 'color', target: 'style', writeKey: 'color' },
];

const props = (type: string): fc.Arbitrary<Json> => {
  const specials = leaves[type as keyof typeof leaves] ?? { tag: 'div' };
  const bindable = type === 'heading' || type === 'text';
  return fc.record(
    {
      style: fc.record(
        { base: fc.constantFrom(...styles), mobile: fc.constantFrom(...styles) },
        { requiredKeys: [] },
      ),
      config: fc.constant({ base: { hidden: false }, tablet: { hidden: true } }),
      specials: fc.constant({ ...specials }),
      ...(bindable && {
        bindings: fc.constant([{ source: 'app.average.rating_1', field: 'specials.text' }]),
      }),
      extra: fc.constant({ kept: ['as', 'it', 1.5] }),
    },
    { requiredKeys: [] },
  );
};

const node = fc
  .constantFrom(...boxes, ...Object.keys(leaves))
  .chain((type) =>
    fc.record(
      { type: fc.constant(type), props: props(type), island: fc.constantFrom(...islands) },
      { requiredKeys: ['type'] },
    ),
  );

/** Generates a valid block: a random tree in which every node but the root hangs below an earlier box. */
const block: fc.Arbitrary<TestBlock> = fc
  .record({
    root: fc.constantFrom(...boxes),
    nodes: fc.array(fc.tuple(node, fc.nat()), { maxLength: 12 }),
    name: fc.constantFrom('Stars', 'Étoiles ★', 'x'),
    icon: fc.constantFrom('star', 'no such icon'),
    slots: fc.uniqueArray(fc.constantFrom('title', 'a b', '$x', 'Ö'), { maxLength: 3 }),
    traits: fc.array(fc.array(fc.tuple(fc.constantFrom(...attributes), fc.nat()), { maxLength: 3 }), {
      maxLength: 3,
    }),
    shuffle: fc.nat(),
  })
  .map(({ root, nodes, name, icon, slots, traits, shuffle }): TestBlock => {
    const built: TestBlock['nodes'] = [{ id: 'root', type: root, children: [] }];
    for (const [i, [own, place]] of nodes.entries()) {
      const parents = built.filter(({ type }) => boxes.includes(type));
      const parent = parents[place % parents.length]!;
      parent.children = [...(parent.children ?? []), `n${i}`];
      built.push({ id: `n${i}`, ...own });
    }
    const names = ['$root', ...slots];
    return {
      key: 'block',
      name,
      icon,
      rootId: 'root',
      nodes: [...built.slice(shuffle % built.length), ...built.slice(0, shuffle % built.length)],
      slots: slots.map((slot, i) => ({ name: slot, nodeId: built[i % built.length]!.id })),
      traits: traits.map((own, i) => ({
        key: `trait ${i}`,
        label: 'A trait',
        attributes: own.map(([attribute, slot]) => ({ ...attribute, slot: names[slot % names.length] })),
      })),
    };
  });

/** Generates valid blocks of a manifest with their keys. */
export const manifest: fc.Arbitrary<TestBlock[]> = fc
  .array(block, { minLength: 1, maxLength: 4 })
  .map((blocks) => blocks.map((own, i) => ({ ...own, key: i === 0 ? 'block' : `block-${i}` })));

/** A way to break a valid block in one place, with the code that the contract states for it and its pointer. */
export interface Breakage {
  name: string;
  code: string;
  /** Relative to the block. */
  pointer: RegExp;
  apply(block: TestBlock): unknown;
}

const break_ = (
  code: string,
  name: string,
  pointer: RegExp,
  apply: (block: TestBlock) => void,
): Breakage => ({
  name,
  code,
  pointer,
  apply(block) {
    const copy = structuredClone(block);
    apply(copy);
    return copy;
  },
});
const getRoot = (block: TestBlock) => block.nodes.find(({ id }) => id === block.rootId)!;
/** Builds a breakage that adds a leaf below the root and breaks it. */
const withLeaf = (
  code: string,
  name: string,
  pointer: RegExp,
  apply: (leaf: TestBlock['nodes'][number], block: TestBlock) => void,
): Breakage =>
  break_(code, name, pointer, (block) => {
    const leaf = { id: `leaf: ${name}`, type: 'text' };
    getRoot(block).children!.push(leaf.id);
    block.nodes.push(leaf);
    apply(leaf, block);
  });
const withAttribute = (code: string, name: string, pointer: RegExp, change: Json): Breakage =>
  break_(code, name, pointer, (block) => {
    const attribute = { widget: 'text', slot: '$root', target: 'specials', writeKey: 'text', ...change };
    block.traits.push({ key: name, label: 'Broken', attributes: [attribute] });
  });

export const breakages: Breakage[] = [
  { name: 'a block that is no object', code: 'invalid_block', pointer: /^$/, apply: () => 7 },
  { name: 'null for a block', code: 'invalid_block', pointer: /^$/, apply: () => null },
  break_('invalid_block', 'no key', /^\/key$/, (b) => delete (b as Json).key),
  break_('invalid_block', 'a key that is no slug', /^\/key$/, (b) => Object.assign(b, { key: 'Stars!' })),
  break_('invalid_block', 'no name', /^\/name$/, (b) => delete (b as Json).name),
  break_('invalid_block', 'an empty name', /^\/name$/, (b) => Object.assign(b, { name: '' })),
  break_('invalid_block', 'no rootId', /^\/rootId$/, (b) => delete (b as Json).rootId),
  break_('invalid_block', 'an icon that is no string', /^\/icon$/, (b) => Object.assign(b, { icon: 1 })),
  break_('invalid_block', 'nodes that are no list', /^\/nodes$/, (b) => {
    (b as Json).nodes = {};
    b.slots = [];
    for (const trait of b.traits) trait.attributes = [];
  }),
  break_('invalid_block', 'a node that is no object', /^\/nodes\/\d+$/, (b) => b.nodes.push(1 as never)),
  break_('invalid_block', 'a node without an id', /^\/nodes\/\d+\/id$/, (b) =>
    b.nodes.push({ type: 'text' } as never),
  ),
  withLeaf('invalid_block', 'a type that is no string', /\/type$/, (leaf) =>
    Object.assign(leaf, { type: 1 }),
  ),
  withLeaf('invalid_block', 'a style key that is none', /\/props\/style\/base\/paddingtop$/, (leaf) => {
    leaf.props = { style: { base: { paddingtop: '1px' } } };
  }),
  withLeaf('invalid_block', 'a style value that is none', /\/style\/mobile\/paddingTop$/, (leaf) => {
    leaf.props = { style: { mobile: { paddingTop: '1px;}' } } };
  }),
  withLeaf('invalid_block', 'a breakpoint that is none', /\/props\/style\/desktop$/, (leaf) => {
    leaf.props = { style: { desktop: {} } };
  }),
  withLeaf('invalid_block', 'a special that is none', /\/props\/specials\/txt$/, (leaf) => {
    leaf.props = { specials: { txt: 'x' } };
  }),
  withLeaf('invalid_block', 'a special of another type', /\/props\/specials\/text$/, (leaf) => {
    leaf.props = { specials: { text: 1 } };
  }),
  withLeaf('invalid_block', 'a binding to no app value', /\/bindings\/0\/source$/, (leaf) => {
    leaf.props = { bindings: [{ source: 'site.title', field: 'specials.text' }] };
  }),
  withLeaf('invalid_block', 'a binding to a key that is none', /\/bindings\/0\/source$/, (leaf) => {
    leaf.props = { bindings: [{ source: 'app.No Key', field: 'specials.text' }] };
  }),
  withLeaf('invalid_block', 'a binding of a field that cannot be bound', /\/bindings\/0\/field$/, (leaf) => {
    leaf.props = { bindings: [{ source: 'app.key', field: 'specials.tag' }] };
  }),
  withLeaf('invalid_block', 'children of a leaf', /\/children$/, (leaf, b) => {
    leaf.children = ['below'];
    b.nodes.push({ id: 'below', type: 'text' });
  }),
  withLeaf('invalid_block', 'an island that is no name', /\/island$/, (leaf) =>
    Object.assign(leaf, { island: 1 }),
  ),
  break_('invalid_block', 'a slot on no node', /^\/slots\/\d+\/nodeId$/, (b) =>
    b.slots.push({ name: 'broken', nodeId: 'nowhere' }),
  ),
  break_('invalid_block', 'a slot with the reserved name', /^\/slots\/\d+\/name$/, (b) =>
    b.slots.push({ name: '$root', nodeId: b.rootId }),
  ),
  break_('invalid_block', 'two slots with one name', /^\/slots\/\d+\/name$/, (b) =>
    b.slots.push({ name: 'twice', nodeId: b.rootId }, { name: 'twice', nodeId: b.rootId }),
  ),
  break_('invalid_block', 'two traits with one key', /^\/traits\/\d+\/key$/, (b) =>
    b.traits.push({ key: 'twice', label: 'x', attributes: [] }, { key: 'twice', label: 'x', attributes: [] }),
  ),
  break_('invalid_block', 'a trait without a label', /^\/traits\/\d+\/label$/, (b) =>
    b.traits.push({ key: 'mute', attributes: [] }),
  ),
  withAttribute('invalid_block', 'a trait of a slot that is none', /\/slot$/, { slot: 'nowhere' }),
  withAttribute('invalid_block', 'a target that is none', /\/target$/, { target: 'css' }),
  withAttribute('invalid_block', 'no writeKey', /\/writeKey$/, { writeKey: undefined }),
  break_('invalid_block_subtree', 'a child that is no node', /\/children\/\d+$/, (b) =>
    getRoot(b).children!.push('nowhere'),
  ),
  break_('invalid_block_subtree', 'a node out of reach', /^\/nodes\/\d+$/, (b) =>
    b.nodes.push({ id: 'orphan', type: 'text' }),
  ),
  break_('invalid_block_subtree', 'the root below itself', /\/children\/\d+$/, (b) =>
    getRoot(b).children!.push(b.rootId),
  ),
  break_('invalid_block_subtree', 'a node with two parents', /\/children\/\d+$/, (b) => {
    b.nodes.push({ id: 'shared', type: 'text' });
    getRoot(b).children!.push('shared', 'shared');
  }),
  break_('invalid_block_subtree', 'two nodes with one id', /^\/nodes\/\d+\/id$/, (b) =>
    b.nodes.push({ id: b.rootId, type: 'text' }),
  ),
  withLeaf('unknown_element_type', 'a type that the platform does not render', /\/type$/, (leaf) => {
    leaf.type = 'hedding';
  }),
  withLeaf('unknown_element_type', 'a block in a block', /\/type$/, (leaf) =>
    Object.assign(leaf, { type: 'blockRef' }),
  ),
  withLeaf('unknown_element_type', 'a section in a block', /\/type$/, (leaf) => {
    leaf.type = 'sectionRef';
  }),
  withLeaf('unknown_element_type', 'a type of every object', /\/type$/, (leaf) => {
    leaf.type = 'constructor';
  }),
  withLeaf('unknown_island', 'an island that is not declared', /\/island$/, (leaf) => {
    leaf.island = 'carrousel';
  }),
  withAttribute('unknown_trait_widget', 'a widget that is none', /\/widget$/, { widget: 'colour' }),
  withAttribute('unknown_write_key', 'a writeKey that is none', /\/writeKey$/, { writeKey: 'txt' }),
  withAttribute('unknown_write_key', 'a writeKey of another target', /\/writeKey$/, { target: 'style' }),
];
