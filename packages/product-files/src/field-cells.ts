import type { Model } from '@waybill/sdk';
import { isSameHtml } from './html.ts';
import { splitBy } from './variant-cells.ts';

type CustomField = Model<'CustomField'>;
type Value = string | number | boolean | string[];

/** The title of a custom field's column, for products or for variants. */
export type FieldTitle = `field.${string}` | `variant field.${string}`;

/** A custom field as a column of a file. */
export interface FieldColumn {
  title: FieldTitle;
  /** The key of its values. */
  name: string;
  entity: 'product' | 'variant';
  type: CustomField['type'];
}

/** Returns the columns of the custom fields of products and variants, in their order. */
export function listFieldColumns(
  definitions: readonly Pick<CustomField, 'entity' | 'appId' | 'key' | 'type'>[],
): FieldColumn[] {
  const columnsFor = (entity: FieldColumn['entity'], prefix: 'field.' | 'variant field.') =>
    definitions.flatMap((definition): FieldColumn[] => {
      if (definition.entity !== entity) return [];
      const { appId, key, type } = definition;
      const name = appId === null ? key : `${appId}/${key}`;
      return [{ title: `${prefix}${name}`, name, entity, type }];
    });
  return [...columnsFor('product', 'field.'), ...columnsFor('variant', 'variant field.')];
}

/**
 * Writes a value as a cell. The items of a list are separated by semicolons; a semicolon within an item is escaped with
 * a backslash.
 */
export const writeField = (value: Value | undefined): string =>
  Array.isArray(value)
    ? value.map((text) => text.replace(/[\\;]/g, '\\$&')).join('; ')
    : value === undefined
      ? ''
      : String(value);

/** Whether a cell states the stored value. */
export const fieldMatchesStored = (
  { type }: FieldColumn,
  cell: string,
  stored: Value | undefined,
): boolean =>
  type === 'richText' && typeof stored === 'string'
    ? isSameHtml(cell, stored)
    : cell === writeField(stored).trim();

const decimal = /^-?\d{1,15}(?:\.\d{1,15})?$/;
/** Thousands in one country, decimals in another. */
const ambiguous = /^-?\d{1,3}\.\d{3}$/;

/** Reads a cell as a value of the field's type; undefined if its meaning is not certain. The API checks the rest. */
export function readField({ type }: FieldColumn, cell: string): Value | undefined {
  switch (type) {
    case 'integer':
      return /^-?\d{1,15}$/.test(cell) ? Number(cell) : undefined;
    case 'decimal':
      return decimal.test(cell) && !ambiguous.test(cell) ? Number(cell) : undefined;
    case 'boolean':
      return { yes: true, true: true, no: false, false: false }[cell.toLowerCase()];
    case 'multiSelect':
    case 'list':
      return splitBy(cell, ';')
        .map((part) => part.replace(/\\(.)/gs, '$1').trim())
        .filter((part) => part !== '');
    default:
      return cell;
  }
}
