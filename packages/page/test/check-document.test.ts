import fc from 'fast-check';
import {
  checkDocument,
  limits,
  normaliseDocument,
  type PageDocument,
  vocabulary,
  withOwnKeys,
} from '../src/index.ts';

type Props = Record<string, unknown>;
type Node = Record<string, unknown>;

const problems = (document: unknown) =>
  checkDocument(vocabulary, document).map(({ pointer, message }) => `${pointer} ${message}`);

/** A section with nodes in it. */
const createSection = (...nodes: Node[]) => ({
  rootId: 'root',
  nodes: [{ id: 'root', type: 'section', children: nodes.map(({ id }) => id) }, ...nodes],
});

/** Returns the problems in one node's props. */
const inProps = (type: string, props: unknown) =>
  problems(createSection({ id: 'a', type, props })).map((each) => each.replace('/nodes/1/props', ''));

test('an empty section is a valid document, and null stands for no value of a property', () => {
  expect(problems(createSection())).toEqual([]);
  expect(
    problems({ rootId: 'a', nodes: [{ id: 'a', type: 'section', children: null, props: null }] }),
  ).toEqual(['/nodes/0/children must be an array of node ids', '/nodes/0/props must be an object']);
  const empty = { style: { base: null }, config: {}, specials: { tag: null } };
  expect(inProps('section', empty)).toEqual([]);
});

describe('the shape', () => {
  test.each([
    [undefined, ' must be an object'],
    [null, ' must be an object'],
    [[], ' must be an object'],
    ['text', ' must be an object'],
  ])('%j is no document', (document, problem) => expect(problems(document)).toEqual([problem]));

  test('names the root and has nodes', () => {
    expect(problems({})).toEqual(['/rootId must be the id of a node', '/nodes must be an array']);
    expect(problems({ rootId: 'a', nodes: [] })).toEqual(['/nodes must hold the root at least']);
    expect(problems({ rootId: '', nodes: 1 })).toEqual([
      '/rootId must be the id of a node',
      '/nodes must be an array',
    ]);
    expect(problems({ rootId: 'b', nodes: [{ id: 'a', type: 'section' }] })).toEqual([
      '/rootId names no node',
    ]);
  });

  test('every node is an object with an id, a type and a list of children', () => {
    const nodes = [
      { id: 'root', type: 'section' },
      null,
      [],
      'x',
      { type: 'text' },
      { id: '', type: 'text' },
      { id: 1, type: 'text' },
      { id: 'x'.repeat(129), type: 'text' },
      { id: 'a\u0000', type: 'text' },
      { id: '\ud800', type: 'text' },
    ];
    expect(problems({ rootId: 'root', nodes })).toEqual([
      ...[1, 2, 3].map((i) => `/nodes/${i} must be an object`),
      ...[4, 5, 6, 7, 8, 9].map((i) => `/nodes/${i}/id must be a string of 1 to 128 characters`),
    ]);
    expect(problems({ rootId: 'a', nodes: [{ id: 'a', children: 'b' }] })).toEqual([
      '/nodes/0/children must be an array of node ids',
      '/nodes/0/type must be the name of an element type',
    ]);
    expect(problems({ rootId: '$root', nodes: [{ id: '$root', type: 'text' }] })).toEqual([
      '/nodes/0/id is reserved',
    ]);
  });

  test('an unknown type comes with the one that was meant', () => {
    const unknown = (type: string) => problems({ rootId: 'a', nodes: [{ id: 'a', type }] });
    expect(unknown('headng')).toEqual(['/nodes/0/type is no element type (did you mean heading?)']);
    expect(unknown('richtext')).toEqual(['/nodes/0/type is no element type (did you mean richText?)']);
    for (const type of ['marquee', '__proto__', 'constructor', '']) {
      expect(unknown(type)).toEqual(['/nodes/0/type is no element type']);
    }
  });

  test('no more than 5,000 nodes, 64 levels and a mebibyte', () => {
    const wide = (count: number) =>
      createSection(...Array.from({ length: count - 1 }, (_, i) => ({ id: `n${i}`, type: 'divider' })));
    expect(problems(wide(limits.nodes))).toEqual([]);
    expect(problems(wide(limits.nodes + 1))).toEqual(['/nodes must hold at most 5000 nodes']);
    const deep = (levels: number) => ({
      rootId: 'n1',
      nodes: Array.from({ length: levels }, (_, i) => ({
        id: `n${i + 1}`,
        type: 'container',
        children: i + 1 < levels ? [`n${i + 2}`] : [],
      })),
    });
    expect(problems(deep(limits.depth))).toEqual([]);
    expect(problems(deep(limits.depth + 1))).toEqual(['/nodes/64 is nested deeper than 64 levels']);
    const big = (text: string) => problems(createSection({ id: 'a', type: 'text', name: text }));
    expect(big('a'.repeat(limits.bytes - 200))).toEqual([]);
    // 3 bytes of UTF-8 each.
    expect(big('€'.repeat(limits.bytes / 3))).toEqual([' must have at most 1048576 bytes as JSON']);
  });

  test('a node’s label is a text of at most 100 characters', () => {
    const labelled = (label: unknown) => problems(createSection({ id: 'a', type: 'text', label }));
    for (const fine of ['Opening', '', null, 'a'.repeat(limits.labelLength)])
      expect(labelled(fine)).toEqual([]);
    for (const wrong of [1, {}, 'a'.repeat(limits.labelLength + 1), 'a\u0000'])
      expect(labelled(wrong)).toEqual(['/nodes/1/label must be a text of at most 100 characters']);
  });

  test('at most a hundred problems are told', () => {
    const nodes = Array.from({ length: 300 }, (_, i) => ({ id: `n${i}`, type: 'nothing' }));
    expect(problems({ rootId: 'n0', nodes })).toHaveLength(limits.problems);
  });
});

describe('the tree', () => {
  const tree = (children: Record<string, string[]>) =>
    problems({
      rootId: 'a',
      nodes: Object.entries(children).map(([id, inner]) => ({ id, type: 'container', children: inner })),
    });

  test.each([
    ['a child that is no node', { a: ['x'] }, ['/nodes/0/children/0 names no node']],
    ['a node twice in one parent', { a: ['b', 'b'], b: [] }, ['/nodes/0/children/1']],
    ['two parents', { a: ['b', 'c'], b: ['c'], c: [] }, ['/nodes/1/children/0']],
    ['a cycle', { a: ['b'], b: ['a'] }, ['/nodes/1/children/0']],
    ['a node in itself', { a: ['a'] }, ['/nodes/0/children/0']],
  ])('%s', (_, children, [start]) => {
    const found = tree(children);
    expect(found).toHaveLength(1);
    expect(found[0]!.startsWith(start!)).toBe(true);
  });

  test('nodes that nothing reaches, a cycle beside the tree too', () => {
    expect(tree({ a: [], b: ['c'], c: ['b'] })).toEqual([
      '/nodes/1 is not reached from the root',
      '/nodes/2 is not reached from the root',
    ]);
  });

  test('an id that two nodes have', () => {
    const nodes = ['a', 'a'].map((id) => ({ id, type: 'container' }));
    expect(problems({ rootId: 'a', nodes })).toEqual(['/nodes/1/id is the id of another node too']);
  });

  test('what may not stand in what, at any depth', () => {
    const nested = (...types: string[]) =>
      problems({
        rootId: '0',
        nodes: types.map((type, i) => ({ id: `${i}`, type, children: types[i + 1] ? [`${i + 1}`] : [] })),
      });
    expect(nested('link', 'container', 'heading')).toEqual([]);
    expect(nested('text', 'text')).toEqual(['/nodes/0/children must be empty: text has no children']);
    expect(nested('link', 'container', 'button')).toEqual(['/nodes/2/type cannot stand in a link']);
    expect(nested('form', 'stack', 'form')).toEqual(['/nodes/2/type cannot stand in a form']);
    expect(nested('link', 'container', 'blockRef')).toContain('/nodes/2/type cannot stand in a link');
  });
});

describe('props', () => {
  test('are objects of objects, with known breakpoints', () => {
    expect(inProps('text', [])).toEqual([' must be an object']);
    expect(inProps('text', { style: 'color: red', config: [], specials: 1 })).toEqual([
      '/style must be an object',
      '/config must be an object',
      '/specials must be an object',
    ]);
    expect(inProps('text', { style: { desktop: {}, base: 1 } })).toEqual([
      '/style/desktop is no breakpoint: base, tablet, mobile',
      '/style/base must be an object',
    ]);
  });

  test('have known keys only, with the one that was meant', () => {
    const props = {
      style: { mobile: { colour: 'red', 'font/size': 1 } },
      config: { base: { hiden: true } },
      specials: { txt: 'x', constructor: 'x', settings: { $root: {} } },
    };
    expect(inProps('text', props)).toEqual([
      '/style/mobile/colour is no style key (did you mean color?)',
      '/style/mobile/font~1size is no style key (did you mean fontSize?)',
      '/config/base/hiden is no config key (did you mean hidden?)',
      '/specials/txt is no specials key (did you mean text?)',
      '/specials/constructor is no specials key',
      '/specials/settings is no specials key',
    ]);
  });

  test('have the keys of their element only, with the one that was meant', () => {
    expect(
      inProps('heading', {
        config: { base: { columns: 3, hidden: true }, tablet: { direction: null } },
        specials: { text: 'x', placeholder: 'x', tag: 'h1', level: 1 },
      }),
    ).toEqual([
      '/config/base/columns is no config key of this element',
      '/config/tablet/direction is no config key of this element',
      '/specials/placeholder is no specials key of this element',
      '/specials/tag is no specials key of this element',
    ]);
    expect(inProps('grid', { config: { base: { columns: 3 } } })).toEqual([]);
    const narrow = { elementTypes: { section: vocabulary.elementTypes.section!, box: { style: ['color'] } } };
    const served = { ...vocabulary, ...narrow } as unknown as typeof vocabulary;
    const node = { id: 'a', type: 'box', props: { style: { base: { color: 'red', width: '1px' } } } };
    expect(checkDocument(served, createSection(node))).toEqual([
      { pointer: '/nodes/1/props/style/base/width', message: 'is no style key of this element' },
    ]);
  });

  test('a stored document is left its own keys, and is the very same where it has no others', () => {
    const valid = createSection({
      id: 'a',
      type: 'heading',
      props: { specials: { text: 'x' } },
    }) as unknown as PageDocument;
    expect(withOwnKeys(vocabulary, valid)).toBe(valid);
    const props = {
      style: { base: { color: 'red' } },
      config: { base: { columns: 3, hidden: true }, mobile: null },
      specials: { text: 'x', items: [] },
    };
    const stored = createSection({ id: 'a', type: 'heading', props }, { id: 'b', type: 'gone', props });
    expect(withOwnKeys(vocabulary, stored as unknown as PageDocument)).toEqual(
      createSection(
        {
          id: 'a',
          type: 'heading',
          props: {
            style: { base: { color: 'red' } },
            config: { base: { hidden: true }, mobile: null },
            specials: { text: 'x' },
          },
        },
        { id: 'b', type: 'gone', props },
      ),
    );
  });

  /** Returns the problems of a special on the first element that has it. */
  const special = (name: string, value: unknown) => {
    const has = (type: string) => Object.hasOwn(vocabulary.elementTypes[type]!.specials, name);
    const type = ['text', ...Object.keys(vocabulary.elementTypes)].find(has)!;
    return inProps(type, { specials: { [name]: value } }).map((each) => each.replace('/specials', ''));
  };

  test.each<[string, unknown, string]>([
    ['text', 1, '/text must be a string'],
    ['text', 'a'.repeat(20_001), '/text must have at most 20000 characters'],
    ['text', 'a\u0000', '/text must not hold control characters or lone surrogates'],
    ['text', 'a\u001bb', '/text must not hold control characters or lone surrogates'],
    ['text', '\u0085', '/text must not hold control characters or lone surrogates'],
    ['text', '\ud83d', '/text must not hold control characters or lone surrogates'],
    ['text', '\udc00\ud83d', '/text must not hold control characters or lone surrogates'],
    ['level', 2.5, '/level must be a whole number'],
    ['level', 7, '/level must be between 1 and 6'],
    ['level', '2', '/level must be a number'],
    ['required', 'true', '/required must be true or false'],
    ['items', {}, '/items must be an array'],
    ['items', Array(201).fill(''), '/items must have at most 200 items'],
    ['items', [{ text: 1 }], '/items/0/text must be a string'],
    ['options', [{ value: 'x' }], '/options/0/label is required'],
    ['tag', 'script', '/tag must be one of p, span, div, blockquote, small, strong'],
    [
      'href',
      'javascript:alert(1)',
      '/href must be a URL with http, https, mailto or tel, or without a scheme',
    ],
    [
      'href',
      ' java\u200bscript:x',
      '/href must be a URL with http, https, mailto or tel, or without a scheme',
    ],
    ['href', { type: 'page', pageId: 'x' }, '/href/pageId must match ^pag_[0-9a-z]{1,40}$'],
    ['href', { type: 'page' }, '/href/pageId is required'],
    ['href', { type: 'ftp' }, '/href is not a value that can stand here'],
    ['href', 3, '/href is not a value that can stand here'],
    ['videoId', '"><b>', '/videoId is no identifier that can stand here'],
    ['anchorId', 'wb-1', '/anchorId is no identifier that can stand here'],
    ['productId', 'x', '/productId is no product that can stand here'],
    ['doc', '<p>', '/doc must be an object'],
  ])('specials.%s of %j: %s', (name, value, problem) => expect(special(name, value)).toEqual([problem]));

  test('texts may hold what they need: tabs, lines, every letter', () => {
    expect(special('text', 'a\tb\nc\r\n👩‍👩‍👧‍👦 \u202e한국어\u00a0<script>')).toEqual([]);
  });

  test.each<[string, unknown]>([
    ...(
      ['red;', 'red}', 'url(x)', '#12', 'rgb(1,2)', 'var(--x)', 'RED', ' red', 'red\n', 'red/**/', 1] as const
    ).map((value): [string, unknown] => ['color', value]),
    ['backgroundImage', 'url(javascript:alert(1))'],
    ['backgroundImage', { src: 'javascript:alert(1)' }],
    ['fontFamily', '"Arial"'],
    ['fontFamily', 'a\\62'],
    ['width', '10'],
    ['width', '1e3px'],
    ['width', 10],
    ['opacity', 2],
    ['opacity', '1'],
    ['zIndex', 1.5],
    ['transform', 'matrix(1)'],
    ['display', 'contents'],
  ])('style.%s is never %j', (key, value) => {
    const found = inProps('text', { style: { base: { [key]: value } } });
    expect(found).toHaveLength(1);
    expect(found[0]!.startsWith(`/style/base/${key}`)).toBe(true);
  });

  test('no pattern of a style value lets through what could end its declaration', () => {
    for (const type of Object.values(vocabulary.writeKeys.style)) {
      for (const { pattern } of [type, ...(type.anyOf ?? [])]) {
        if (pattern === undefined) continue;
        const values = fc.sample(fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 60 }), 100);
        expect(values.filter((value) => /[;{}\\<>"'\n]|\/\*/.test(value))).toEqual([]);
      }
    }
  });

  test('no text that is a valid style value can end its declaration', () => {
    const keys = fc.constantFrom(...Object.keys(vocabulary.writeKeys.style));
    const texts = fc.string({
      unit: fc.constantFrom(...';{}\\<>"\'/*()#,. \n0159adefprxm%-'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(keys, texts, (key, text) => {
        const isValid = inProps('text', { style: { base: { [key]: text } } }).length === 0;
        return !isValid || !/[;{}\\<>"'\n]|\/\*/.test(text);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('rich text', () => {
  const doc = (...content: unknown[]) =>
    inProps('richText', { specials: { doc: { type: 'doc', content } } }).map((each) =>
      each.replace('/specials/doc', ''),
    );

  test('is a tree of known nodes, each where it may stand', () => {
    expect(
      doc({ type: 'paragraph', content: [{ type: 'text', text: 'a', marks: [{ type: 'bold' }] }] }),
    ).toEqual([]);
    expect(doc({ type: 'text', text: 'a' })[0]).toMatch(/^\/content\/0\/type must be one of paragraph, /);
    expect(doc({ type: 'script' })[0]).toMatch(/^\/content\/0\/type must be one of /);
    expect(doc(null)).toEqual(['/content/0 must be an object']);
    expect(doc({ type: 'horizontalRule', content: [{}] })).toEqual(['/content/0/content must be empty']);
    expect(doc({ type: 'heading', attrs: { level: 7 } })).toEqual([
      '/content/0/attrs/level must be between 1 and 6',
    ]);
    expect(doc({ type: 'paragraph', content: 'x' })).toEqual(['/content/0/content must be an array']);
  });

  test('holds clean texts with known marks and links that may be followed', () => {
    const text = (more: Props) => doc({ type: 'paragraph', content: [{ type: 'text', text: 'a', ...more }] });
    const place = '/content/0/content/0';
    expect(text({ text: 1 })).toEqual([`${place}/text must be a string`]);
    expect(text({ text: '\ud800' })[0]).toContain(`${place}/text must not hold`);
    expect(text({ marks: {} })).toEqual([`${place}/marks must be an array`]);
    expect(text({ marks: [{ type: 'blink' }] })[0]).toContain(`${place}/marks/0/type must be one of link, `);
    const link = { type: 'link', attrs: { href: 'vbscript:x' } };
    expect(text({ marks: [link] })[0]).toContain(`${place}/marks/0/attrs/href must be a URL`);
  });

  test('is what the vocabulary says that is asked, not this package’s own', () => {
    const { doc: own } = vocabulary.writeKeys.specials;
    const richText = {
      ...own!.richText!,
      content: { ...own!.richText!.content, doc: ['callout'], callout: ['text'] },
      marks: { glow: {} },
    };
    const type = { ...own!, richText };
    const element = vocabulary.elementTypes.richText!;
    const specials = { ...element.specials, doc: { type, default: null } };
    const served = {
      ...vocabulary,
      elementTypes: { ...vocabulary.elementTypes, richText: { ...element, specials } },
    };
    const createDocument = (kind: string, mark: string) => {
      const text = { type: 'text', text: 'a', marks: [{ type: mark }] };
      const props = { specials: { doc: { type: 'doc', content: [{ type: kind, content: [text] }] } } };
      return createSection({ id: 'a', type: 'richText', props });
    };
    expect(checkDocument(served, createDocument('callout', 'glow'))).toEqual([]);
    expect(checkDocument(served, createDocument('paragraph', 'glow'))).toHaveLength(1);
    expect(checkDocument(served, createDocument('callout', 'bold'))).toHaveLength(1);
    expect(problems(createDocument('callout', 'bold'))).toHaveLength(1);
  });

  test('nests at most 16 levels', () => {
    const nested = (levels: number): unknown =>
      levels === 0 ? { type: 'horizontalRule' } : { type: 'blockquote', content: [nested(levels - 1)] };
    expect(doc(nested(14))).toEqual([]);
    expect(doc(nested(15))[0]).toContain('is nested deeper than 16 levels');
  });
});

describe('references', () => {
  test('say what they refer to', () => {
    expect(inProps('blockRef', undefined)).toEqual([' is required']);
    expect(inProps('blockRef', {})).toEqual([
      '/specials/appId is required',
      '/specials/blockKey is required',
    ]);
    expect(inProps('sectionRef', { specials: { sectionId: null } })).toEqual([
      '/specials/sectionId is required',
    ]);
    expect(inProps('sectionRef', { specials: { sectionId: 'x' } })).toEqual([
      '/specials/sectionId must match ^sec_[0-9a-z]{1,40}$',
    ]);
    expect(inProps('blockRef', { specials: { appId: 'app_1', blockKey: 'No' } })).toEqual([
      '/specials/blockKey is no identifier that can stand here',
    ]);
  });

  test("hold a merchant's settings by slot, checked as props are", () => {
    const specials = { appId: 'app_1', blockKey: 'reviews' };
    const good = { $root: { style: { mobile: { color: 'red' } } }, gone: { specials: { text: 'x' } } };
    expect(inProps('blockRef', { specials, settings: good })).toEqual([]);
    expect(inProps('blockRef', { specials, settings: [] })).toEqual(['/settings must be an object']);
    const bad = { a: 1, 'b/c': { style: { base: { color: 'red;' } }, specials: { txt: 1 } } };
    expect(inProps('blockRef', { specials, settings: bad })).toEqual([
      '/settings/a must be an object',
      '/settings/b~1c/style/base/color is no color that can stand here',
      '/settings/b~1c/specials/txt is no specials key (did you mean text?)',
    ]);
  });
});

test('no JSON whatsoever makes a check throw', () => {
  const keys = fc.constantFrom(
    'rootId',
    'nodes',
    'id',
    'type',
    'children',
    'props',
    'style',
    'specials',
    'base',
    'doc',
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom(null, true, 1, 'a', 'text', 'section', 'blockRef', 'richText', '__proto__'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 6 }),
    ),
  }));
  fc.assert(
    fc.property(value, value, (nodes, props) => {
      const document = { rootId: 'a', nodes: [{ id: 'a', type: 'richText', props }, nodes] };
      for (const each of [nodes, document]) expect(Array.isArray(checkDocument(vocabulary, each))).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('a document is stored in Unicode NFC, with lines that end in LF', () => {
  const sent = createSection({
    id: 'cafe\u0301',
    type: 'text',
    props: { specials: { text: 'a\r\nb\rc\nd\u212b' } },
  });
  expect(normaliseDocument(sent as unknown as PageDocument)).toEqual(
    createSection({ id: 'caf\u00e9', type: 'text', props: { specials: { text: 'a\nb\nc\nd\u00c5' } } }),
  );
});
