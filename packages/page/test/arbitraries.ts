import fc from 'fast-check';
import {
  type Json,
  type PageDocument,
  type PageNode,
  type PerBreakpoint,
  type ValueType,
  vocabulary,
} from '../src/index.ts';
import { hostileTexts } from './hostile-texts.ts';

/** Random documents are generated from the vocabulary itself, so anything added to it is tested from then on. */

const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.constantFrom(...'<>&"\'`=/ !-[]{};:\\\t\n\u00a0\u2028\ufeff\ufffea'),
      maxLength: 20,
    }),
  },
);

const ids = (prefix: string) => fc.integer({ min: 1, max: 4 }).map((n) => `${prefix}_${n}`);

/** Generating matches of a pattern is slow, so each pattern gets a few dozen samples. */
const samples = new Map<string, fc.Arbitrary<string>>();
function matching(pattern: string): fc.Arbitrary<string> {
  const prefix = /^\^(prd|pag|mda|app|sec|art|bct)_/.exec(pattern)?.[1];
  if (prefix) return ids(prefix);
  if (!samples.has(pattern)) {
    const plain = new RegExp(pattern.replace('(?!wb-)', ''), 'u');
    const source = fc.stringMatching(plain, { maxLength: 120 });
    const strict = new RegExp(pattern, 'u');
    const found = fc.sample(source, { numRuns: 60, seed: 1 }).filter((text) => strict.test(text));
    samples.set(pattern, fc.constantFrom(...found));
  }
  return samples.get(pattern)!;
}

const urls = fc.oneof(
  ids('mda'),
  fc.constantFrom(
    'https://example.com/a b?c="d"&e=<f>',
    '/x.png',
    '#top',
    '?q=1',
    '//cdn.example.com/i.png',
    'mailto:a@b.c',
    '/media/str_1/mda_3?w=320',
    'https://shop.example/media/str_1/mda_3',
    '/media/str_2/mda_3',
    "https://example.com/'quoted'(1)",
    'tel:+1',
    'https:\\\\x\\y',
    ' https://x.y ',
    'x.png',
    '',
  ),
);

const mark = fc.oneof(
  fc
    .constantFrom('bold', 'italic', 'code', 'underline', 'strike', 'highlight', 'subscript', 'superscript')
    .map((type) => ({ type })),
  urls.map((href) => ({ type: 'link', attrs: { href } })),
);
const textNode = fc.record({
  type: fc.constant('text'),
  text: hostileText,
  marks: fc.array(mark, { maxLength: 4 }),
});
const inline = fc.array(
  fc.oneof({ weight: 5, arbitrary: textNode }, { weight: 1, arbitrary: fc.constant({ type: 'hardBreak' }) }),
  { maxLength: 4 },
);
const { block } = fc.letrec((tie) => ({
  block: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ type: fc.constant('paragraph'), content: inline }),
    fc.record({
      type: fc.constant('heading'),
      attrs: fc.record({ level: fc.integer({ min: 1, max: 6 }) }),
      content: inline,
    }),
    fc.record({ type: fc.constant('codeBlock'), content: fc.array(textNode, { maxLength: 2 }) }),
    fc.constant({ type: 'horizontalRule' }),
    fc.record({
      type: fc.constantFrom('bulletList', 'orderedList'),
      content: fc.array(tie('item'), { maxLength: 3 }),
    }),
    fc.record({ type: fc.constant('blockquote'), content: fc.array(tie('block'), { maxLength: 2 }) }),
  ),
  item: fc.record({ type: fc.constant('listItem'), content: fc.array(tie('block'), { maxLength: 2 }) }),
}));
const richText = fc.record({ type: fc.constant('doc'), content: fc.array(block, { maxLength: 4 }) });

/** Generates a value of a type of the vocabulary. */
export function valueFor(type: ValueType): fc.Arbitrary<Json> {
  if (type.anyOf) return fc.oneof(...type.anyOf.map(valueFor));
  if (type.const !== undefined) return fc.constant(type.const);
  if (type.enum) return fc.constantFrom(...(type.enum as Json[]));
  if (type.format === 'richText') return richText as fc.Arbitrary<Json>;
  if (type.format === 'url') return urls;
  if (type.pattern) return matching(type.pattern).filter((text) => text.length <= (type.maxLength ?? 1e6));
  const { minimum = -1e6, maximum = 1e6 } = type;
  switch (type.type) {
    case 'string':
      return hostileText.map((text) => text.slice(0, type.maxLength).toWellFormed());
    case 'integer':
      return fc.integer({ min: minimum, max: maximum });
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueFor(type.items!), { maxLength: 4 });
    default: {
      const properties = Object.entries(type.properties ?? {}).map(([name, each]) => [name, valueFor(each)]);
      const requiredKeys = [...(type.required ?? [])] as never[];
      return fc.record(Object.fromEntries(properties), { requiredKeys }) as fc.Arbitrary<Json>;
    }
  }
}

/** Generates some of the keys, each with a value of its type, occasionally with a reset. */
function someOf(
  types: Readonly<Record<string, ValueType>>,
  most: number,
): fc.Arbitrary<Record<string, Json>> {
  const entries = Object.entries(types).map(([key, type]) => {
    const value = fc.oneof(
      { weight: 9, arbitrary: valueFor(type) },
      { weight: 1, arbitrary: fc.constant(null) },
    );
    return value.map((each): [string, Json] => [key, each]);
  });
  return fc.array(fc.oneof(...entries), { maxLength: most }).map((pairs) => Object.fromEntries(pairs));
}

const perBreakpoint = (
  types: Readonly<Record<string, ValueType>>,
  most: number,
): fc.Arbitrary<PerBreakpoint> =>
  fc.record(
    { base: someOf(types, most), tablet: someOf(types, most), mobile: someOf(types, most) },
    { requiredKeys: [] },
  );

const styles = perBreakpoint(vocabulary.writeKeys.style, 4);
const configs = perBreakpoint(vocabulary.writeKeys.config, 2);
const settings = fc.dictionary(
  fc.constantFrom('$root', 'inner', '__proto__'),
  fc.record(
    { style: styles, config: configs, specials: someOf(vocabulary.writeKeys.specials, 3) },
    { requiredKeys: [] },
  ),
  { maxKeys: 2 },
);

const propsByType = Object.fromEntries(
  Object.entries(vocabulary.elementTypes).map(([type, element]) => {
    const types = Object.fromEntries(
      Object.entries(element.specials).map(([name, special]) => [name, special.type]),
    );
    const own = Object.entries(vocabulary.writeKeys.config).filter(([key]) => element.config.includes(key));
    const all = {
      style: styles,
      ...(own.length > 0 && { config: perBreakpoint(Object.fromEntries(own), 2) }),
      specials: element.documentOnly ? references(types) : someOf(types, 8),
    };
    const withSettings = type === 'blockRef' ? { ...all, settings } : all;
    const requiredKeys = element.documentOnly ? ['specials'] : [];
    return [type, fc.record(withSettings, { requiredKeys: requiredKeys as never[] })];
  }),
) as Record<string, fc.Arbitrary<PageNode['props']>>;

function references(types: Readonly<Record<string, ValueType>>): fc.Arbitrary<Record<string, Json>> {
  const known = { appId: ids('app'), sectionId: ids('sec'), blockKey: fc.constantFrom('reviews', 'banner') };
  return fc.record(
    Object.fromEntries(Object.keys(types).map((name) => [name, known[name as keyof typeof known]])),
  ) as fc.Arbitrary<Record<string, Json>>;
}

const bindings = (type: string) => {
  const fields = vocabulary.elementTypes[type]!.bindable;
  if (fields.length === 0) return fc.constant(undefined);
  const source = fc.constantFrom('app.rating', 'app.note', 'app.none');
  return fc.array(fc.record({ source, field: fc.constantFrom(...fields) }), { maxLength: 2 });
};

const documentTypes = Object.keys(vocabulary.elementTypes);
const blockTypes = documentTypes.filter((type) => !vocabulary.elementTypes[type]!.documentOnly);
const boxTypes = blockTypes.filter((type) => vocabulary.elementTypes[type]!.children === 'any');

/** Generates a tree: the parent and the type of each node, assembled so that the content model holds. */
function arbitraryTree(types: readonly string[], most: number, inBlock: boolean): fc.Arbitrary<PageDocument> {
  const arbitraryNode = (type: string) =>
    fc.record({
      type: fc.constant(type),
      props: propsByType[type]!,
      bindings: inBlock ? bindings(type) : fc.constant(undefined),
      island: inBlock
        ? fc.option(fc.constantFrom('stars', 'poll'), { freq: 4, nil: undefined })
        : fc.constant(undefined),
      place: fc.nat(),
    });
  const boxes = fc.oneof(...boxTypes.map(arbitraryNode));
  const any = fc.oneof(
    { weight: 1, arbitrary: boxes },
    { weight: 3, arbitrary: fc.oneof(...types.map(arbitraryNode)) },
  );
  const all = fc.tuple(boxes, fc.array(any, { maxLength: most, size: 'max' }));
  const awkwardId = fc.constantFrom('n', 'a/b', '~0', '__proto__', 'toString', '10', '\u202ex', '"><b>');
  return fc.tuple(all, awkwardId).map(([[root, rest], name]) => build([root, ...rest], name));
}

interface Raw {
  type: string;
  props: PageNode['props'];
  bindings: { source: string; field: string }[] | undefined;
  island: string | undefined;
  place: number;
}

function build(all: readonly Raw[], name: string): PageDocument {
  const included: { node: PageNode; children: string[]; excluded: Set<string> }[] = [];
  for (const { type, props, bindings, island, place } of all) {
    const boxes = included.filter(({ node, excluded, children }) => {
      const element = vocabulary.elementTypes[node.type]!;
      const hasRoom = children.length < (element.maxChildren ?? Number.POSITIVE_INFINITY);
      return element.children === 'any' && hasRoom && !excluded.has(type);
    });
    if (included.length > 0 && boxes.length === 0) continue;
    const parent = boxes[place % (boxes.length || 1)];
    const id = included.length === 0 ? name : `${name}${included.length}`;
    parent?.children.push(id);
    const own = vocabulary.elementTypes[type]!.excludes ?? [];
    const children: string[] = [];
    const full = bindings?.length ? { ...props, bindings } : props;
    const node = { id, type, children, ...(full && { props: full }), ...(island && { island }) };
    included.push({ node, children, excluded: new Set([...(parent?.excluded ?? []), ...own]) });
  }
  return { rootId: name, nodes: included.map(({ node }) => node) };
}

/** A merchant's document that passes every check. */
export const documents = arbitraryTree(documentTypes, 14, false);

/** A block of an app, with a slot, a trait for each target, and bindings. */
export const blocks = arbitraryTree(blockTypes, 6, true).map((tree) => ({
  ...tree,
  key: 'reviews',
  name: 'Reviews',
  slots: [{ name: 'inner', nodeId: tree.nodes.at(-1)!.id }],
  traits: [
    {
      key: 'look',
      label: 'Look',
      attributes: [
        { widget: 'color', slot: '$root', target: 'style' as const, writeKey: 'color' },
        { widget: 'text', slot: 'inner', target: 'specials' as const, writeKey: 'text' },
      ],
    },
  ],
}));
