import type { Model } from '@waybill/sdk';
import { isSameHtml } from './html.ts';
import { splitBy } from './variant-cells.ts';

type CustomField = Model<'CustomField'>;
type Value = string | number | boolean | string[];

/** The column of a custom field, of products or of variants. */
export type FieldTitle = `field.${string}` | `variant field.${string}`;

/** A custom field as files have it. */
export interface FieldColumn {
  title: FieldTitle;
  /** The key that its values stand under. */
  name: string;
  entity: 'product' | 'variant';
  type: CustomField['type'];
}

/** The columns of the custom fields that products and variants have, in their order. */
export function fieldColumnsOf(
  definitions: readonly Pick<CustomField, 'entity' | 'appId' | 'key' | 'type'>[],
): FieldColumn[] {
  const of = (entity: FieldColumn['entity'], prefix: 'field.' | 'variant field.') =>
    definitions.flatMap((definition): FieldColumn[] => {
      if (definition.entity !== entity) return [];
      const { appId, key, type } = definition;
      const name = appId === null ? key : `${appId}/${key}`;
      return [{ title: `${prefix}${name}`, name, entity, type }];
    });
  return [...of('product', 'field.'), ...of('variant', 'variant field.')];
}

/** A value as a cell: lists with semicolons between, of which one that is in a text stands behind a backslash. */
export const writeField = (value: Value | undefined): string =>
  Array.isArray(value)
    ? value.map((text) => text.replace(/[\\;]/g, '\\$&')).join('; ')
    : value === undefined
      ? ''
      : String(value);

/** Whether a cell says what is stored. */
export const saysField = ({ type }: FieldColumn, cell: string, stored: Value | undefined): boolean =>
  type === 'richText' && typeof stored === 'string'
    ? isSameHtml(cell, stored)
    : cell === writeField(stored).trim();

const decimal = /^-?\d{1,15}(?:\.\d{1,15})?$/;
/** Thousands in one country, decimals in another. */
const ambiguous = /^-?\d{1,3}\.\d{3}$/;

/** A cell as a value of the field's type; undefined: it cannot be read for certain. The API checks the rest. */
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
