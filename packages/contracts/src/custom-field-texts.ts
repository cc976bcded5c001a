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

/** The prefix of a translation's field; the value's key follows, and for one of several texts `.<position>`. */
export const customFieldTextPrefix = 'customFields.';
