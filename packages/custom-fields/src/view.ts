import {
  type CustomFieldEntity,
  type CustomFieldState,
  customFieldName,
  type Principal,
} from '@waybill/contracts';
import { isVisibleTo } from './values.ts';

interface Item {
  customFields?: Record<string, unknown>;
  variants?: Item[];
}

/** Takes out of JSON what its reader is not to see of custom fields. */
export interface View {
  /** Of an envelope with one item. */
  envelope(json: string): string;
  /** Of the items of a list, with commas between. */
  items(json: string): string;
}

const whole: View = { envelope: (json) => json, items: (json) => json };

/** As PostgreSQL writes it, by any of its functions. */
const someValues = /"customFields" ?: ?\{"/;

/**
 * What a principal sees of items of an entity: everything, but an app of private values its own alone. `definitionsOf` is
 * asked for apps only.
 */
export async function viewOf(
  principal: Principal | null,
  entity: CustomFieldEntity,
  definitionsOf: (entities: readonly CustomFieldEntity[]) => Promise<CustomFieldState[]>,
): Promise<View> {
  if (principal?.kind !== 'app') return whole;
  const entities: CustomFieldEntity[] = entity === 'product' ? ['product', 'variant'] : [entity];
  const hidden = (await definitionsOf(entities)).filter((definition) => !isVisibleTo(principal, definition));
  if (hidden.length === 0) return whole;
  const namesOf = (of: CustomFieldEntity) =>
    hidden.flatMap((definition) => (definition.entity === of ? customFieldName(definition) : []));
  const [own, ofVariants] = [namesOf(entity), namesOf('variant')];
  const omit = (item: Item, names: readonly string[]) => {
    for (const name of names) if (item.customFields) delete item.customFields[name];
  };
  const strip = (item: Item) => {
    omit(item, own);
    if (entity === 'product') for (const variant of item.variants ?? []) omit(variant, ofVariants);
  };
  const hasValues = (json: string) => someValues.test(json);
  return {
    envelope(json) {
      if (!hasValues(json)) return json;
      const envelope: Record<string, Item> = JSON.parse(json);
      strip(envelope[entity] ?? {});
      return JSON.stringify(envelope);
    },
    items(json) {
      if (!hasValues(json)) return json;
      const items: Item[] = JSON.parse(`[${json}]`);
      for (const item of items) strip(item);
      return JSON.stringify(items).slice(1, -1);
    },
  };
}

/** A part of a list as its reader sees it: the same object where that is all of it. */
export function inView<Part extends { items: string }>(view: View, part: Part): Part {
  const items = view.items(part.items);
  return items === part.items ? part : { ...part, items };
}
