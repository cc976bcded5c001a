import {
  type Block,
  limits,
  materialise,
  type PageDocument,
  type PageNode,
  type SlotSettings,
  type TreeNode,
} from '../src/index.ts';

const block: Block = {
  key: 'reviews',
  name: 'Reviews',
  rootId: 'box',
  nodes: [
    {
      id: 'box',
      type: 'container',
      children: ['title', 'note'],
      props: { style: { base: { color: 'red' } } },
    },
    {
      id: 'title',
      type: 'heading',
      island: 'stars',
      props: {
        style: { base: { color: 'red', fontSize: '2rem' } },
        specials: { text: 'Reviews', level: 3 },
        bindings: [{ source: 'app.rating', field: 'specials.text' }],
      },
    },
    { id: 'note', type: 'text', props: { specials: { text: 'Note' } } },
  ],
  slots: [
    { name: 'title', nodeId: 'title' },
    { name: 'heading', nodeId: 'title' },
    { name: 'note', nodeId: 'note' },
  ],
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

const blockRef = (settings?: Record<string, SlotSettings>): PageNode => ({
  id: 'ref',
  type: 'blockRef',
  props: { specials: { appId: 'app_1', blockKey: 'reviews' }, ...(settings && { settings }) },
});
const sectionRef = (sectionId: string, id = 'ref'): PageNode => ({
  id,
  type: 'sectionRef',
  props: { specials: { sectionId } },
});
const createPage = (...nodes: PageNode[]): PageDocument => ({
  rootId: 'root',
  nodes: [{ id: 'root', type: 'section', children: nodes.map(({ id }) => id) }, ...nodes],
});

interface Around {
  block?: Block | undefined;
  sections?: Record<string, PageDocument>;
  publish?: boolean;
}

function materialiseTree(document: PageDocument, around: Around = {}): TreeNode {
  const { sections = {}, publish = true } = around;
  const known = 'block' in around ? around.block : block;
  return materialise(document, {
    sections: new Map(Object.entries(sections)),
    block: (appId, key) => (appId === 'app_1' && key === known?.key ? known : undefined),
    publish,
  })!;
}

function listNodes(tree: TreeNode): TreeNode[] {
  return [tree, ...tree.children.flatMap(listNodes)];
}
const find = (tree: TreeNode, path: string) => listNodes(tree).find((node) => node.path === path);
const title = (settings: Record<string, SlotSettings>, own: Block = block) =>
  find(materialiseTree(createPage(blockRef(settings)), { block: own }), 'ref/title')!;

describe('a block reference', () => {
  test("becomes the block's nodes, below the reference's id", () => {
    const nodes = listNodes(materialiseTree(createPage(blockRef())));
    expect(nodes.map(({ path }) => path)).toEqual(['root', 'ref/box', 'ref/title', 'ref/note']);
    expect(nodes.map(({ entityId }) => entityId)).toEqual(['root', 'ref/box', 'ref/title', 'ref/note']);
  });

  test('shows nothing when the app, its block or the key is gone, and the page stays', () => {
    const gone = listNodes(
      materialiseTree(createPage(blockRef(), { id: 'a', type: 'text' }), { block: undefined }),
    );
    expect(gone.map(({ path }) => path)).toEqual(['root', 'a']);
    const renamed = listNodes(materialiseTree(createPage(blockRef()), { block: { ...block, key: 'other' } }));
    expect(renamed).toHaveLength(1);
    const nothing = { sections: new Map(), block: () => undefined, publish: true };
    expect(materialise({ rootId: 'ref', nodes: [blockRef()] }, nothing)).toBeUndefined();
  });

  test('inside a block stands for nothing: neither a block nor a section', () => {
    const sealed = { ...block, nodes: [...block.nodes, blockRef(), sectionRef('sec_1', 'sec')] };
    const box = { ...sealed.nodes[0]!, children: ['title', 'ref', 'sec'] };
    const tree = materialiseTree(createPage(blockRef()), {
      block: { ...sealed, nodes: [box, ...sealed.nodes.slice(1)] },
      sections: { sec_1: createPage() },
    });
    expect(listNodes(tree).map(({ path }) => path)).toEqual(['root', 'ref/box', 'ref/title']);
  });

  test("binds to its app's values, and marks its islands when it is published", () => {
    const published = find(materialiseTree(createPage(blockRef())), 'ref/title')!;
    expect(published.island).toBe('app.app_1.stars');
    expect(published.bindings).toEqual([{ appId: 'app_1', key: 'rating', field: 'specials.text' }]);
    const onCanvas = find(materialiseTree(createPage(blockRef()), { publish: false }), 'ref/title')!;
    expect(onCanvas).not.toHaveProperty('island');
    expect(onCanvas.bindings).toEqual(published.bindings);
  });

  test("a merchant's own element has neither bindings nor islands", () => {
    const tree = materialiseTree(createPage({ ...block.nodes[1]!, id: 'own' }));
    expect(find(tree, 'own')).toMatchObject({ bindings: [] });
    expect(find(tree, 'own')).not.toHaveProperty('island');
  });
});

describe("a merchant's settings", () => {
  test('open all keys of a target on a slot, never another target or slot', () => {
    const settings = { style: { base: { fontSize: '9rem' } }, specials: { text: 'Mine', level: 1 } };
    const { style, specials } = title({ title: settings });
    expect(specials).toEqual({ text: 'Mine', level: 1 });
    expect(style).toEqual(block.nodes[1]!.props!.style);
    const note = find(materialiseTree(createPage(blockRef({ note: settings }))), 'ref/note')!;
    expect(note.specials).toEqual({ text: 'Note' });
  });

  test('$root is the root of the block, whatever its id', () => {
    const settings = { $root: { style: { mobile: { paddingTop: '1rem' } } } };
    const box = find(materialiseTree(createPage(blockRef(settings))), 'ref/box')!;
    expect(box.style.mobile).toEqual({ color: 'red', paddingTop: '1rem' });
    expect(box.style.base).toEqual({ color: 'red', paddingTop: null });
  });

  test('are not applied while their control is gone, and apply again when it returns', () => {
    const settings = { title: { specials: { text: 'Mine' } } };
    const without = { ...block, traits: [] };
    expect(title(settings).specials.text).toBe('Mine');
    expect(title(settings, without).specials.text).toBe('Reviews');
    expect(title(settings).specials.text).toBe('Mine');
    const otherSlot = { ...block, slots: [{ name: 'title', nodeId: 'note' }] };
    expect(title(settings, otherSlot).specials.text).toBe('Reviews');
  });

  test('null and silence leave what the author set; a value for one width leaves the wider ones', () => {
    const opened = (settings: SlotSettings) =>
      find(materialiseTree(createPage(blockRef({ $root: settings }))), 'ref/box')!;
    expect(opened({ style: { base: { color: null } } }).style.base).toEqual({ color: 'red' });
    expect(opened({ style: { tablet: { color: 'blue' }, mobile: { color: null } } }).style).toEqual({
      base: { color: 'red' },
      tablet: { color: 'blue' },
      mobile: { color: 'red' },
    });
    expect(title({ title: { specials: { text: null } } }).specials.text).toBe('Reviews');
  });

  test('of two slots of one node both apply', () => {
    const [look] = block.traits!;
    const attribute = { widget: 'select', slot: 'heading', target: 'specials', writeKey: 'level' } as const;
    const both = { ...block, traits: [{ ...look!, attributes: [...look!.attributes, attribute] }] };
    const settings = { title: { specials: { text: 'Mine' } }, heading: { specials: { level: 1 } } };
    expect(title(settings, both).specials).toEqual({ text: 'Mine', level: 1 });
  });

  test('of slots named like an object’s own members are settings like any other', () => {
    const odd = {
      ...block,
      slots: [{ name: 'constructor', nodeId: 'title' }],
      traits: [
        {
          key: 'a',
          label: 'A',
          attributes: [
            { widget: 'text', slot: 'constructor', target: 'specials' as const, writeKey: 'text' },
          ],
        },
      ],
    };
    expect(title({}, odd).specials.text).toBe('Reviews');
    expect(title({ constructor: { specials: { text: 'Mine' } } } as never, odd).specials.text).toBe('Mine');
  });
});

describe('a section reference', () => {
  const text = (id: string): PageNode => ({ id, type: 'text' });

  test("becomes the section, which keeps its texts' translations wherever it stands", () => {
    const tree = materialiseTree(createPage(sectionRef('sec_1')), {
      sections: { sec_1: createPage(blockRef()) },
    });
    expect(listNodes(tree).map(({ path }) => path)).toEqual([
      'root',
      'ref/root',
      'ref/ref/box',
      'ref/ref/title',
      'ref/ref/note',
    ]);
    expect(listNodes(tree).map(({ entityId }) => entityId)).toEqual([
      'root',
      'sec_1:root',
      'sec_1:ref/box',
      'sec_1:ref/title',
      'sec_1:ref/note',
    ]);
  });

  test('shows nothing when the section is gone', () => {
    expect(
      listNodes(materialiseTree(createPage(sectionRef('sec_9'), text('a')))).map(({ path }) => path),
    ).toEqual(['root', 'a']);
  });

  test('ends where a section would hold itself, directly or through others', () => {
    const sections = {
      sec_1: createPage(sectionRef('sec_2'), text('one')),
      sec_2: createPage(sectionRef('sec_1'), sectionRef('sec_2', 'self'), text('two')),
    };
    const paths = listNodes(materialiseTree(createPage(sectionRef('sec_1')), { sections })).map(
      ({ path }) => path,
    );
    expect(paths).toEqual(['root', 'ref/root', 'ref/ref/root', 'ref/ref/two', 'ref/one']);
  });

  test('twice on a page gives every node an id of its own', () => {
    const document = createPage(
      sectionRef('sec_1', 'a'),
      sectionRef('sec_1', 'b'),
      sectionRef('sec_1', 'a/b'),
    );
    const paths = listNodes(materialiseTree(document, { sections: { sec_1: createPage(text('t')) } })).map(
      ({ path }) => path,
    );
    expect(paths).toEqual(['root', 'a/root', 'a/t', 'b/root', 'b/t', 'a~1b/root', 'a~1b/t']);
  });

  test('does not let a page grow without end: 64 levels, 20,000 nodes', () => {
    const sections = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => {
        const three = ['a', 'b', 'c'].map((id) => sectionRef(`sec_${i + 1}`, id));
        return [`sec_${i}`, createPage(...three)];
      }),
    );
    const nodes = listNodes(materialiseTree(createPage(sectionRef('sec_0')), { sections }));
    expect(nodes.length).toBe(limits.materialisedNodes);
    const chain = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`sec_${i}`, createPage(sectionRef(`sec_${i + 1}`))]),
    );
    expect(listNodes(materialiseTree(createPage(sectionRef('sec_0')), { sections: chain }))).toHaveLength(
      limits.depth,
    );
  });
});

test('what is no tree, or of no known type, shows what can be shown', () => {
  const cycle = createPage(
    { id: 'a', type: 'container', children: ['b'] },
    { id: 'b', type: 'container', children: ['a', 'root'] },
  );
  expect(listNodes(materialiseTree(cycle)).map(({ path }) => path)).toEqual(['root', 'a', 'b']);
  const odd = createPage(
    { id: 'a', type: 'marquee' },
    { id: 'b', type: 'constructor' },
    { id: 'c', type: 'text' },
  );
  expect(listNodes(materialiseTree(odd)).map(({ path }) => path)).toEqual(['root', 'c']);
  expect(materialiseTree({ rootId: 'x', nodes: [] })).toBeUndefined();
});
