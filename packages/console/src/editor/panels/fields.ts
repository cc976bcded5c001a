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
import { type PropertyPath, setSettings, setValues, valueAt } from '../core/commands.ts';
import type { Editor } from '../core/editor.ts';
import type { CatalogueBlock } from '../workbench/catalogue.ts';

/** A key that can be set. */
export interface Field {
  readonly target: Target;
  readonly key: string;
  readonly type: ValueType;
  /** The default value; only for specials. */
  readonly fallback?: Json;
}

/** The origin of the shown value. */
export type Origin = 'own' | 'wider' | 'author' | 'default';

export interface FieldValue {
  readonly value: Json | undefined;
  readonly origin: Origin;
  /** Whether the nodes have different values. */
  readonly isMixed: boolean;
}

/** The target of the inspector: nodes of the document, or one slot of a block. */
export type EditTarget =
  | { readonly kind: 'nodes'; readonly ids: readonly string[] }
  | {
      readonly kind: 'slot';
      readonly referenceId: string;
      readonly slot: string;
      readonly block: CatalogueBlock;
    };

/** Returns all fields of an element type, in the vocabulary's order. */
export function listFields(type: ElementType): Field[] {
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

/**
 * Returns the fields that several elements have in common. For elements of different types these are only the fields of
 * their look, not of their content.
 */
export function listCommonFields(types: readonly ElementType[]): Field[] {
  const [first, ...others] = types;
  if (!first) return [];
  if (others.every((type) => type === first)) return listFields(first);
  const nameSets = others.map((type) => new Set(listFields(type).map(fieldName)));
  return listFields(first).filter(
    (field) => field.target !== 'specials' && nameSets.every((set) => set.has(fieldName(field))),
  );
}

export const fieldName = ({ target, key }: Pick<Field, 'target' | 'key'>) => `${target}/${key}`;

export function createPropertyPath(
  { target, key }: Pick<Field, 'target' | 'key'>,
  width: Breakpoint,
): PropertyPath {
  return target === 'specials' ? { target, key } : { target, key, breakpoint: width };
}

/** Returns the JSON pointer to the field's value below its node. */
export function createPointer(editTarget: EditTarget, field: Field, width: Breakpoint): string {
  const slot = editTarget.kind === 'slot' ? ['settings', editTarget.slot] : [];
  const at = field.target === 'specials' ? [] : [width];
  return ['', 'props', ...slot, field.target, ...at, field.key]
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .join('/');
}

/**
 * Returns the shown value of a field at a width: that of the narrowest breakpoint at or above it, else the author's,
 * else the default.
 */
export function readField(
  editor: Editor,
  editTarget: EditTarget,
  field: Field,
  width: Breakpoint,
): FieldValue {
  if (editTarget.kind === 'slot') {
    const own = editor.state.tree.nodes.get(editTarget.referenceId)?.props?.settings;
    const settings = own && Object.hasOwn(own, editTarget.slot) ? own[editTarget.slot] : undefined;
    return resolveLayers(
      settings,
      findSlotNode(editTarget.block, editTarget.slot)?.props ?? {},
      field,
      width,
    );
  }
  const [first, ...others] = editTarget.ids.map((id) =>
    resolveLayers(editor.state.tree.nodes.get(id)?.props, {}, field, width),
  );
  if (!first) return { value: undefined, origin: 'default', isMixed: false };
  const isMixed = others.some(({ value }) => JSON.stringify(value) !== JSON.stringify(first.value));
  const origin = [first, ...others].some((shown) => shown.origin === 'own') ? 'own' : first.origin;
  return { value: isMixed ? undefined : first.value, origin, isMixed };
}

function resolveLayers(
  own: SlotSettings | NodeProps | null | undefined,
  author: NodeProps,
  field: Field,
  width: Breakpoint,
): FieldValue {
  const lastIndex = breakpoints.indexOf(field.target === 'specials' ? 'base' : width);
  const widths = breakpoints.slice(0, lastIndex + 1).toReversed();
  for (const at of widths) {
    const value = valueAt(own, createPropertyPath(field, at));
    // `null` stands for the value of the layer below.
    if (value === null) break;
    if (value === undefined) continue;
    return { value, origin: at === widths[0] ? 'own' : 'wider', isMixed: false };
  }
  for (const at of widths) {
    const value = valueAt(author, createPropertyPath(field, at));
    if (value !== undefined && value !== null) return { value, origin: 'author', isMixed: false };
  }
  return { value: field.fallback ?? undefined, origin: 'default', isMixed: false };
}

/**
 * Sets fields to the same value, or removes their values, as one step. Returns the reason if that is refused; then none
 * of them is set.
 */
export function setFields(
  editor: Editor,
  editTarget: EditTarget,
  fields: readonly Field[],
  width: Breakpoint,
  value: Json | undefined,
  label: string,
): Problem | undefined {
  const { tree } = editor.state;
  const paths = fields.map((field) => createPropertyPath(field, width));
  const changes =
    editTarget.kind === 'slot'
      ? setSettings(tree, editTarget.referenceId, editTarget.slot, paths, value)
      : setValues(tree, editTarget.ids, paths, value);
  const mergeKey = [
    ...(editTarget.kind === 'slot' ? [editTarget.referenceId, editTarget.slot] : editTarget.ids),
    width,
    ...fields.map(fieldName),
  ].join(' ');
  return editor.apply(label, changes, { mergeKey });
}

/** Returns the node of a block's slot; `$root` is the block's root. */
export function findSlotNode(block: CatalogueBlock, slot: string) {
  const id = slot === '$root' ? block.rootId : block.slots?.find(({ name }) => name === slot)?.nodeId;
  return block.nodes.find((node) => node.id === id);
}

/** A part of a block that its traits open: one whole target of one slot (`store-api.md 4.12`, rule 2). */
export interface OpenTarget {
  readonly slot: string;
  readonly target: Target;
  readonly type: ElementType;
}

export function listOpenTargets(block: CatalogueBlock): OpenTarget[] {
  const found = new Map<string, OpenTarget>();
  for (const { slot, target } of (block.traits ?? []).flatMap(({ attributes }) => attributes)) {
    const type = vocabulary.elementTypes[findSlotNode(block, slot)?.type ?? ''];
    if (type) found.set(`${slot} ${target}`, { slot, target, type });
  }
  return [...found.values()];
}

/** Returns the settings of a reference that no trait of the current version opens, by slot and target (rule 3). */
export function listClosedSettings(
  settings: Readonly<Record<string, SlotSettings>>,
  openTargets: readonly OpenTarget[],
): { slot: string; target: Target }[] {
  return Object.entries(settings).flatMap(([slot, own]) =>
    (Object.keys(own) as Target[])
      .filter(
        (target) =>
          !openTargets.some((openTarget) => openTarget.slot === slot && openTarget.target === target),
      )
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

/** Returns the group of a field; fields that are new in the vocabulary go to the effects. */
export const getGroup = (field: Pick<Field, 'target' | 'key'>): Group =>
  groupByKey.find(([, pattern]) => pattern.test(fieldName(field)))?.[0] ?? 'effects';

/** Whether a text is a value of the type, as far as its pattern tells. */
export function isValidInput(type: ValueType, text: string): boolean {
  if (type.anyOf) return type.anyOf.some((one) => isValidInput(one, text));
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
 * Converts a number or a length that is typed in the language's notation, such as `1,5` or `0,75 rem`, to the notation
 * of values: `1.5`, `0.75rem`. Returns any other text unchanged.
 */
export function normalizeNumber(type: ValueType, text: string, language: string): string {
  const [, typed = '', unit = ''] = /^([-\u2212]?[\d.,\s]{1,40})([a-z]{0,10}|%)$/i.exec(text.trim()) ?? [];
  const number = typed.trim();
  if (!/\d$/.test(number) || isValidInput(type, text)) return text;
  const parsed = readTypedNumber(number, { language, decimals: 6 });
  const normalized = `${parsed}${unit}`;
  return typeof parsed === 'number' && isValidInput(type, normalized) ? normalized : text;
}

/** Reads a text as a value of the type: as a number if the type allows only numbers. */
export function parseInput(type: ValueType, text: string): Json {
  const choice = type.enum?.find((one) => String(one) === text);
  if (choice !== undefined) return choice;
  const isNumber = type.type === 'number' || type.type === 'integer';
  return isNumber ? Number(text) : text;
}
