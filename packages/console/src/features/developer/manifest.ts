import type { Block, Json, SlotSettings, TraitAttribute } from '@waybill/page';
import type { Problems } from '../../api/mutation.ts';
import { asPage, type Drawn } from '../../shell/draw.ts';

/** The vocabulary and the renderer: a chunk of its own, which whoever looks at a list does not load. */
const page = () => import('@waybill/page');

/** The blocks of a manifest's text, whatever they are; null: it is no JSON, or holds no list of blocks. */
export function blocksOf(text: string): unknown[] | null {
  try {
    const { blocks = [] } = (JSON.parse(text) ?? {}) as { blocks?: unknown };
    return Array.isArray(blocks) ? blocks : null;
  } catch {
    return null;
  }
}

/** What is wrong in the blocks, by pointers into the manifest, as saving them would say. */
export async function problemsIn(blocks: readonly unknown[]): Promise<Problems> {
  const { checkBlock, vocabulary } = await page();
  const found: Record<string, string> = {};
  for (const [position, block] of blocks.entries()) {
    for (const { pointer, message } of checkBlock(vocabulary, block, `/blocks/${position}`))
      found[pointer] ??= message;
  }
  return found;
}

/** Those that are enough of a block to be drawn. */
export const drawable = (blocks: readonly unknown[]): Block[] =>
  blocks.filter((block): block is Block => {
    const { rootId, nodes } = (block ?? {}) as Partial<Block>;
    return typeof rootId === 'string' && Array.isArray(nodes);
  });

/** What a merchant has set, by slot. */
export type Settings = Readonly<Record<string, SlotSettings>>;

/** A block by itself with a merchant's settings, as the canvas shows it. */
export async function drawSample(appId: string, block: Block, settings: Settings): Promise<Drawn> {
  const { renderSample } = await page();
  return asPage(renderSample(appId, block, settings));
}

/** What a merchant uses to change an attribute of a trait. */
export type Control =
  | { kind: 'switch' }
  | { kind: 'choice'; choices: readonly (string | number)[] }
  | { kind: 'number'; minimum?: number; maximum?: number }
  | { kind: 'text'; pattern?: string }
  /** A picture, a product, a link, rich text: chosen in the page editor, of what the store has. */
  | { kind: 'editor' };

/** The controls that attributes of traits have, with what the vocabulary calls them; none for unknown keys. */
export async function readControls(): Promise<
  (attribute: TraitAttribute) => { widget: string; control: Control } | null
> {
  const { vocabulary } = await page();
  return ({ widget, target, writeKey }) => {
    const type = vocabulary.writeKeys[target]?.[writeKey];
    const known = vocabulary.widgets[widget];
    if (!type || !known) return null;
    return { widget: known.label, control: controlOf(type) };
  };
}

type ValueType = Awaited<ReturnType<typeof page>>['vocabulary']['writeKeys']['style'][string];

const typed: readonly ValueType['kind'][] = [
  'text',
  'identifier',
  'length',
  'color',
  'background',
  'font',
  'shadow',
  'css',
];

function controlOf({ kind, type, enum: choices, pattern, minimum, maximum }: ValueType): Control {
  if (choices) return { kind: 'choice', choices };
  if (type === 'boolean') return { kind: 'switch' };
  if (type === 'number' || type === 'integer')
    return {
      kind: 'number',
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
    };
  if (type === 'string' && typed.includes(kind)) return { kind: 'text', ...(pattern && { pattern }) };
  return { kind: 'editor' };
}

/** The settings with an attribute set for every width, or left to the author again. */
export function withSetting(
  settings: Settings,
  { slot, target, writeKey }: TraitAttribute,
  value: Json | undefined,
): Settings {
  const own = settings[slot] ?? {};
  const values = { ...valuesOf(own, target), [writeKey]: value };
  const set = Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
  return { ...settings, [slot]: { ...own, [target]: target === 'specials' ? set : { base: set } } };
}

/** What is set for an attribute; undefined: the author's holds. */
export const settingOf = (settings: Settings, { slot, target, writeKey }: TraitAttribute): Json | undefined =>
  valuesOf(settings[slot] ?? {}, target)[writeKey];

const valuesOf = (own: SlotSettings, target: TraitAttribute['target']): Readonly<Record<string, Json>> =>
  (target === 'specials' ? own.specials : own[target]?.base) ?? {};
