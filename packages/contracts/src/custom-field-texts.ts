import type { CustomFieldType } from './custom-fields.ts';

/** Types whose values are texts for people, which are translated. */
export const translatedFieldTypes: ReadonlySet<string> = new Set<CustomFieldType>([
  'text',
  'longText',
  'richText',
  'select',
  'multiSelect',
  'list',
]);

/** The field of a translation is this and the value's key; for one text of several, `.<position>` follows. */
export const customFieldTextPrefix = 'customFields.';
