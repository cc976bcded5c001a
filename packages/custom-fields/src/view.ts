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

/** Removes the custom fields from JSON that its reader may not see. */
export interface View {
  /** For an envelope with one item. */
  envelope(json: string): string;
  /** For the items of a list, separated by commas. */
  items(json: string): string;
}

const fullView: View = { envelope: (json) => json, items: (json) => json };

/** Matches values as any of PostgreSQL's functions writes them. */
const customFieldValuesPattern = /"customFields" ?: ?\{"/;

/**
 * Returns the view that a principal has of an entity's items. Only apps are restricted: of private values they see
 * those of their own fields. `readDefinitions` is called for apps only.
 */
export async function createView(
  principal: Principal | null,
  entity: CustomFieldEntity,
  readDefinitions: (entities: readonly CustomFieldEntity[]) => Promise<CustomFieldState[]>,
): Promise<View> {
  if (principal?.kind !== 'app') return fullView;
  const entities: CustomFieldEntity[] = entity === 'product' ? ['product', 'variant'] : [entity];
  const hidden = (await readDefinitions(entities)).filter(
    (definition) => !isVisibleTo(principal, definition),
  );
  if (hidden.length === 0) return fullView;
  const listHiddenNames = (owner: CustomFieldEntity) =>
    hidden.flatMap((definition) => (definition.entity === owner ? customFieldName(definition) : []));
  const [hiddenNames, hiddenVariantNames] = [listHiddenNames(entity), listHiddenNames('variant')];
  const omit = (item: Item, names: readonly string[]) => {
    for (const name of names) if (item.customFields) delete item.customFields[name];
  };
  const strip = (item: Item) => {
    omit(item, hiddenNames);
    if (entity === 'product') for (const variant of item.variants ?? []) omit(variant, hiddenVariantNames);
  };
  const hasValues = (json: string) => customFieldValuesPattern.test(json);
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

/** Applies a view to a part of a list; returns the same object if nothing is hidden. */
export function applyView<Part extends { items: string }>(view: View, part: Part): Part {
  const items = view.items(part.items);
  return items === part.items ? part : { ...part, items };
}
