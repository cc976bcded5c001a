import { type Block, limits, type PageDocument, type Problem, targets } from '../model.ts';
import { below, isObject } from './pointer.ts';
import { suggestion } from './suggest.ts';

export type ReferenceProblemCode =
  | 'unknown_app'
  | 'unknown_block'
  | 'unknown_slot'
  | 'unopened_write'
  | 'unknown_product'
  | 'unknown_media'
  | 'unknown_page';

export interface ReferenceProblem extends Problem {
  code: ReferenceProblemCode;
}

/**
 * The existing targets of references. A missing member means that these targets are unknown, so nothing is reported.
 */
export interface KnownReferences {
  /** The blocks of each available app, by the app's id. */
  readonly apps?: ReadonlyMap<string, readonly Block[]>;
  readonly productIds?: ReadonlySet<string>;
  readonly mediaIds?: ReadonlySet<string>;
  readonly pageIds?: ReadonlySet<string>;
}

type Report = (code: ReferenceProblemCode, pointer: string, message: string) => void;

/**
 * Returns the references of a valid document whose targets do not exist, so that nothing is shown in their place, and
 * the settings of a block that no trait opens. At most a hundred, with pointers.
 */
export function checkReferences({ nodes }: PageDocument, known: KnownReferences): ReferenceProblem[] {
  const problems: ReferenceProblem[] = [];
  const report: Report = (code, pointer, message) => problems.push({ pointer, code, message });
  for (const [i, { type, props }] of nodes.entries()) {
    if (problems.length >= limits.problems) break;
    const pointer = `/nodes/${i}/props`;
    if (type === 'blockRef' && known.apps) checkBlock(known.apps, props ?? {}, pointer, report);
    checkIds(props, pointer, known, report);
  }
  return problems.slice(0, limits.problems);
}

function checkBlock(
  apps: ReadonlyMap<string, readonly Block[]>,
  { specials, settings }: NonNullable<PageDocument['nodes'][number]['props']>,
  pointer: string,
  report: Report,
): void {
  const [appId, blockKey] = [String(specials?.appId), String(specials?.blockKey)];
  const blocks = apps.get(appId);
  if (!blocks) {
    const message = `is no app that is available in this store${suggestion(appId, [...apps.keys()])}`;
    report('unknown_app', `${pointer}/specials/appId`, message);
    return;
  }
  const block = blocks.find(({ key }) => key === blockKey);
  if (!block) {
    const keys = blocks.map(({ key }) => key);
    const message = `is no block of this app${suggestion(blockKey, keys)}`;
    report('unknown_block', `${pointer}/specials/blockKey`, message);
    return;
  }
  const slots = ['$root', ...(block.slots ?? []).map(({ name }) => name)];
  const attributes = (block.traits ?? []).flatMap((trait) => trait.attributes);
  for (const [slot, values] of Object.entries(settings ?? {})) {
    const own = below(`${pointer}/settings`, slot);
    if (!slots.includes(slot)) {
      report('unknown_slot', own, `is no slot of this block${suggestion(slot, slots)}`);
      continue;
    }
    for (const target of targets) {
      const isSet = Object.keys(values[target] ?? {}).length > 0;
      const isOpen = attributes.some((each) => each.slot === slot && each.target === target);
      if (isSet && !isOpen)
        report('unopened_write', below(own, target), 'is opened by no trait of this block');
    }
  }
}

/** Ids are stored under a few keys anywhere in props; a text that looks like an id is only a text. */
function checkIds(value: unknown, pointer: string, known: KnownReferences, report: Report): void {
  if (Array.isArray(value)) {
    for (const [i, inner] of value.entries()) checkIds(inner, below(pointer, i), known, report);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const own = below(pointer, key);
    if (typeof inner !== 'string') checkIds(inner, own, known, report);
    else if (key === 'productId' && known.productIds?.has(inner) === false) {
      report('unknown_product', own, 'is no active product of this store');
    } else if (key === 'pageId' && known.pageIds?.has(inner) === false) {
      report('unknown_page', own, 'is no page of this store');
    } else if ((key === 'src' || key === 'poster') && /^mda_[0-9a-z]+$/.test(inner)) {
      if (known.mediaIds?.has(inner) === false)
        report('unknown_media', own, 'is no media asset of this store');
    }
  }
}
