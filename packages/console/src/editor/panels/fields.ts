import {
  type Breakpoint,
  breakpoints,
  type ElementType,
  type Json,
  type NodeProps,
  type Problem,
  type SlotSettings,
  type Target,
  type ValueType,
  vocabulary,
} from '@waybill/page';
import { readTypedNumber } from '../../ui/typed-number.ts';
import { type PropertyPath, setSetting, setValue, valueAt } from '../core/commands.ts';
import type { Editor } from '../core/editor.ts';
import type { CatalogueBlock } from './catalogue.ts';

/** One thing that can be set. */
export interface Field {
  readonly target: Target;
  readonly key: string;
  readonly type: ValueType;
  /** What it is where nothing is set; of specials alone. */
  readonly fallback?: Json;
}

/** Where the value that shows comes from. */
export type Origin = 'own' | 'wider' | 'author' | 'default';

export interface Shown {
  readonly value: Json | undefined;
  readonly origin: Origin;
  /** The nodes do not agree. */
  readonly isMixed: boolean;
}

/** What the inspector edits: nodes of the document, or one slot of a block. */
export type Edited =
  | { readonly is: 'nodes'; readonly ids: readonly string[] }
  | {
      readonly is: 'slot';
      readonly referenceId: string;
      readonly slot: string;
      readonly block: CatalogueBlock;
    };

/** All that can be set on an element of the type, in the vocabulary's order. */
export function fieldsOf(type: ElementType): Field[] {
  const { config, style } = vocabulary.writeKeys;
  const styleKeys = type.style ?? Object.keys(style);
  return [
    ...Object.entries(type.specials).map(([key, { type: own, default: fallback }]) => ({
      target: 'specials' as const,
      key,
      type: own,
      fallback,
    })),
    ...type.config.map((key) => ({ target: 'config' as const, key, type: config[key]! })),
    ...styleKeys.map((key) => ({ target: 'style' as const, key, type: style[key]! })),
  ];
}

/** What can be set on each of several elements at once: of different kinds what they look like, not what they say. */
export function commonFields(types: readonly ElementType[]): Field[] {
  const [first, ...others] = types;
  if (!first) return [];
  if (others.every((type) => type === first)) return fieldsOf(first);
  const sets = others.map((type) => new Set(fieldsOf(type).map(nameOf)));
  return fieldsOf(first).filter(
    (field) => field.target !== 'specials' && sets.every((set) => set.has(nameOf(field))),
  );
}

export const nameOf = ({ target, key }: Pick<Field, 'target' | 'key'>) => `${target}/${key}`;

export function propertyPathOf(
  { target, key }: Pick<Field, 'target' | 'key'>,
  width: Breakpoint,
): PropertyPath {
  return target === 'specials' ? { target, key } : { target, key, breakpoint: width };
}

/** Where the field's value stands below its node, as a JSON pointer. */
export function pointerOf(edited: Edited, field: Field, width: Breakpoint): string {
  const slot = edited.is === 'slot' ? ['settings', edited.slot] : [];
  const at = field.target === 'specials' ? [] : [width];
  return ['', 'props', ...slot, field.target, ...at, field.key]
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .join('/');
}

/** What shows of a field at a width: the narrowest value up to it, else the author's, else the default. */
export function shownOf(editor: Editor, edited: Edited, field: Field, width: Breakpoint): Shown {
  if (edited.is === 'slot') {
    const own = editor.state.tree.nodes.get(edited.referenceId)?.props?.settings;
    const settings = own && Object.hasOwn(own, edited.slot) ? own[edited.slot] : undefined;
    return layeredOf(settings, authorOf(edited.block, edited.slot)?.props ?? {}, field, width);
  }
  const [first, ...others] = edited.ids.map((id) =>
    layeredOf(editor.state.tree.nodes.get(id)?.props, {}, field, width),
  );
  if (!first) return { value: undefined, origin: 'default', isMixed: false };
  const isMixed = others.some(({ value }) => JSON.stringify(value) !== JSON.stringify(first.value));
  const origin = [first, ...others].some((shown) => shown.origin === 'own') ? 'own' : first.origin;
  return { value: isMixed ? undefined : first.value, origin, isMixed };
}

function layeredOf(
  own: SlotSettings | NodeProps | null | undefined,
  author: NodeProps,
  field: Field,
  width: Breakpoint,
): Shown {
  const narrowest = breakpoints.indexOf(field.target === 'specials' ? 'base' : width);
  const widths = breakpoints.slice(0, narrowest + 1).toReversed();
  for (const at of widths) {
    const value = valueAt(own, propertyPathOf(field, at));
    // `null` is what the layer below says.
    if (value === null) break;
    if (value === undefined) continue;
    return { value, origin: at === widths[0] ? 'own' : 'wider', isMixed: false };
  }
  for (const at of widths) {
    const value = valueAt(author, propertyPathOf(field, at));
    if (value !== undefined && value !== null) return { value, origin: 'author', isMixed: false };
  }
  return { value: field.fallback ?? undefined, origin: 'default', isMixed: false };
}

/** Sets a field, or takes away what was set; gives the reason where it is refused. */
export function setField(
  editor: Editor,
  edited: Edited,
  field: Field,
  width: Breakpoint,
  value: Json | undefined,
  label: string,
): Problem | undefined {
  const { tree } = editor.state;
  const place = propertyPathOf(field, width);
  const changes =
    edited.is === 'slot'
      ? setSetting(tree, edited.referenceId, edited.slot, place, value)
      : setValue(tree, edited.ids, place, value);
  const mergeKey = [
    ...(edited.is === 'slot' ? [edited.referenceId, edited.slot] : edited.ids),
    width,
    nameOf(field),
  ].join(' ');
  return editor.do(label, changes, { mergeKey });
}

/** The node that a slot of a block is; the block's root is `$root`. */
export function authorOf(block: CatalogueBlock, slot: string) {
  const id = slot === '$root' ? block.rootId : block.slots?.find(({ name }) => name === slot)?.nodeId;
  return block.nodes.find((node) => node.id === id);
}

/** A part of a block that its traits open: one target of one slot, whole (`store-api.md 4.12`, rule 2). */
export interface Opening {
  readonly slot: string;
  readonly target: Target;
  readonly type: ElementType;
}

export function openingsOf(block: CatalogueBlock): Opening[] {
  const found = new Map<string, Opening>();
  for (const { slot, target } of (block.traits ?? []).flatMap(({ attributes }) => attributes)) {
    const type = vocabulary.elementTypes[authorOf(block, slot)?.type ?? ''];
    if (type) found.set(`${slot} ${target}`, { slot, target, type });
  }
  return [...found.values()];
}

/** What a reference keeps that no trait of the present version opens: slot and target of each (rule 3). */
export function keptUnopened(
  settings: Readonly<Record<string, SlotSettings>>,
  openings: readonly Opening[],
): { slot: string; target: Target }[] {
  return Object.entries(settings).flatMap(([slot, own]) =>
    (Object.keys(own) as Target[])
      .filter((target) => !openings.some((open) => open.slot === slot && open.target === target))
      .map((target) => ({ slot, target })),
  );
}

export const groups = [
  'content',
  'layout',
  'placement',
  'size',
  'spacing',
  'typography',
  'background',
  'border',
  'effects',
  'visibility',
  'advanced',
] as const;
export type Group = (typeof groups)[number];

const groupByKey: readonly (readonly [Group, RegExp])[] = [
  ['visibility', /^config\/hidden$|^style\/(visibility|pointerEvents)$/],
  [
    'size',
    /^config\/ratio$|^style\/(width|height|minWidth|minHeight|maxWidth|maxHeight|aspectRatio|boxSizing|overflow[XY]|objectFit|objectPosition)$/,
  ],
  [
    'layout',
    /^config\/|^style\/(display|flexDirection|flexWrap|alignContent|alignItems|justifyContent|justifyItems|rowGap|columnGap|gridTemplate\w{1,40}|gridAutoFlow|listStyleType)$/,
  ],
  [
    'placement',
    /^style\/(position|top|right|bottom|left|zIndex|float|clear|flexGrow|flexShrink|flexBasis|order|alignSelf|justifySelf|grid(Column|Row)\w{1,40})$/,
  ],
  ['spacing', /^style\/(margin|padding)/],
  ['background', /^style\/background/],
  ['border', /^style\/border/],
  [
    'typography',
    /^style\/(color|font\w{1,40}|line\w{1,40}|letter\w{1,40}|word\w{1,40}|text\w{1,40}|whiteSpace|overflowWrap)$/,
  ],
  ['advanced', /^specials\/(anchorId|ariaLabel|tag|name)$/],
  ['content', /^specials\//],
];

/** Which group a field is shown in; what is new in the vocabulary stands with the effects. */
export const groupOf = (field: Pick<Field, 'target' | 'key'>): Group =>
  groupByKey.find(([, pattern]) => pattern.test(nameOf(field)))?.[0] ?? 'effects';

/** Whether a text is a value of the type, as far as its pattern says. */
export function fits(type: ValueType, text: string): boolean {
  if (type.anyOf) return type.anyOf.some((one) => fits(one, text));
  if (type.enum) return type.enum.some((choice) => String(choice) === text);
  if (type.type === 'number' || type.type === 'integer') {
    const number = Number(text);
    if (text.trim() === '' || !Number.isFinite(number)) return false;
    if (type.type === 'integer' && !Number.isInteger(number)) return false;
    return number >= (type.minimum ?? -Infinity) && number <= (type.maximum ?? Infinity);
  }
  if (type.type !== 'string') return false;
  if (type.maxLength !== undefined && text.length > type.maxLength) return false;
  return type.pattern === undefined || new RegExp(type.pattern).test(text);
}

/**
 * A number, or a length, typed as the language writes it, such as `1,5` or `0,75 rem`, in the form that values have:
 * `1.5`, `0.75rem`. Any other text as it is.
 */
export function plainNumber(type: ValueType, text: string, language: string): string {
  const [, typed = '', unit = ''] = /^([-\u2212]?[\d.,\s]{1,40})([a-z]{0,10}|%)$/i.exec(text.trim()) ?? [];
  const number = typed.trim();
  if (!/\d$/.test(number) || fits(type, text)) return text;
  const read = readTypedNumber(number, { language, decimals: 6 });
  const plain = `${read}${unit}`;
  return typeof read === 'number' && fits(type, plain) ? plain : text;
}

/** A text as the value that it is written for: a number where the type knows no other. */
export function readAs(type: ValueType, text: string): Json {
  const choice = type.enum?.find((one) => String(one) === text);
  if (choice !== undefined) return choice;
  const isNumber = type.type === 'number' || type.type === 'integer';
  return isNumber ? Number(text) : text;
}
