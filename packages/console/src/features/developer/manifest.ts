import type { Block, Json, SlotSettings, TraitAttribute } from '@waybill/page';
import type { Problems } from '../../api/mutation.ts';
import { asPage, type Drawn } from '../../shell/draw.ts';
import { explainProblems } from '../../texts/common.ts';

/** Loads the vocabulary and the renderer as a chunk of their own, which lists do not need. */
const page = () => import('./block-tools.ts');

/** Returns the blocks in a manifest's text, unvalidated. Null: the text is not JSON or has no list of blocks. */
export function parseBlocks(text: string): unknown[] | null {
  try {
    const { blocks = [] } = (JSON.parse(text) ?? {}) as { blocks?: unknown };
    return Array.isArray(blocks) ? blocks : null;
  } catch {
    return null;
  }
}

/** Returns the problems that saving the blocks would report, by JSON pointer into the manifest. */
export async function problemsIn(blocks: readonly unknown[]): Promise<Problems> {
  const { checkBlock, vocabulary } = await page();
  const problems = blocks.flatMap((block, position) => checkBlock(vocabulary, block, `/blocks/${position}`));
  const found: Record<string, string> = {};
  for (const { pointer, message } of await explainProblems(problems)) found[pointer] ??= message;
  return found;
}

/** Returns the blocks that are complete enough to be rendered. */
export const drawable = (blocks: readonly unknown[]): Block[] =>
  blocks.filter((block): block is Block => {
    const { rootId, nodes } = (block ?? {}) as Partial<Block>;
    return typeof rootId === 'string' && Array.isArray(nodes);
  });

/** A merchant's settings by slot. */
export type Settings = Readonly<Record<string, SlotSettings>>;

/** Renders a single block with a merchant's settings, as the canvas does. */
export async function drawSample(appId: string, block: Block, settings: Settings): Promise<Drawn> {
  const { renderSample } = await page();
  return asPage(renderSample(appId, block, settings));
}

/** The control with which a merchant sets an attribute of a trait. */
export type Control =
  | { kind: 'switch' }
  | { kind: 'choice'; choices: readonly (string | number)[] }
  | { kind: 'number'; minimum?: number; maximum?: number }
  | { kind: 'text'; pattern?: string }
  /** A picture, product, link or rich text, which needs the store's data and can be set only in the page editor. */
  | { kind: 'editor' };

/** Loads the function that returns the control and label of a trait's attribute, or null for unknown keys. */
export async function readControls(): Promise<
  (attribute: TraitAttribute) => { widget: string; control: Control } | null
> {
  const { vocabulary } = await page();
  return ({ widget, target, writeKey }) => {
    const type = vocabulary.writeKeys[target]?.[writeKey];
    const known = vocabulary.widgets[widget];
    if (!type || !known) return null;
    return { widget: known.label, control: createControl(type) };
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

function createControl({ kind, type, enum: choices, pattern, minimum, maximum }: ValueType): Control {
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

/** Returns the settings with an attribute set for all widths, or reset to the author's value. */
export function withSetting(
  settings: Settings,
  { slot, target, writeKey }: TraitAttribute,
  value: Json | undefined,
): Settings {
  const own = settings[slot] ?? {};
  const values = { ...getValues(own, target), [writeKey]: value };
  const set = Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
  return { ...settings, [slot]: { ...own, [target]: target === 'specials' ? set : { base: set } } };
}

/** Returns the merchant's value of an attribute; undefined if the author's value applies. */
export const findSetting = (
  settings: Settings,
  { slot, target, writeKey }: TraitAttribute,
): Json | undefined => getValues(settings[slot] ?? {}, target)[writeKey];

const getValues = (own: SlotSettings, target: TraitAttribute['target']): Readonly<Record<string, Json>> =>
  (target === 'specials' ? own.specials : own[target]?.base) ?? {};
