import Type, { type Static } from 'typebox';
import { idPattern } from './ids.ts';

/** The kinds of items that can have custom fields: `decisions.md 20.4`. */
export const customFieldEntities = [
  'product',
  'variant',
  'category',
  'customer',
  'order',
  'page',
  'article',
] as const;
export type CustomFieldEntity = (typeof customFieldEntities)[number];

export const customFieldTypes = [
  'text',
  'longText',
  'richText',
  'integer',
  'decimal',
  'boolean',
  'date',
  'instant',
  'url',
  'color',
  'select',
  'multiSelect',
  'media',
  'product',
  'list',
] as const;
export type CustomFieldType = (typeof customFieldTypes)[number];

/** Limits of definitions and values. */
export const customFieldLimits = {
  /** Number of definitions for one kind of item. */
  perEntity: 250,
  options: 250,
  /** Length of one choice, in characters. */
  option: 200,
  listItems: 50,
  text: 1_000,
  longText: 50_000,
  url: 2_048,
  patternLength: 500,
  /** Size of all values of one item, in bytes. */
  itemBytes: 512 * 1024,
} as const;

/** The pattern of a definition's key; the values of an app have the key `<appId>/<key>`. */
export const customFieldKeyPattern = '^[a-z][a-z0-9_]{0,39}$';

/** The pattern of a value's key. */
export const customFieldNamePattern = `^(?:${idPattern('app').slice(1, -1)}/)?[a-z][a-z0-9_]{0,39}$`;

const nullable = <Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** Rules that a value must satisfy besides its type. */
export const CustomFieldRules = Type.Object(
  {
    required: Type.Boolean({
      description: 'Checked when an item is created and when its value is removed.',
      examples: [false],
    }),
    min: nullable(
      Type.Number({
        description: 'For numbers, the value; for texts and lists, the length.',
        examples: [null],
      }),
    ),
    max: nullable(
      Type.Number({
        description: 'For numbers, the value; for texts and lists, the length.',
        examples: [null],
      }),
    ),
    pattern: nullable(
      Type.String({
        description: 'A regular expression that matches anywhere in the text.',
        examples: [null],
      }),
    ),
  },
  { $id: 'CustomFieldRules' },
);
export type CustomFieldRules = Static<typeof CustomFieldRules>;

/** A definition: the form of the values of one key. */
export const CustomField = Type.Object(
  {
    id: Type.String({ pattern: idPattern('customField') }),
    entity: Type.Enum([...customFieldEntities], { examples: ['product'] }),
    key: Type.String({ examples: ['material'] }),
    name: Type.String({ examples: ['Material'] }),
    type: Type.Enum([...customFieldTypes], { examples: ['text'] }),
    options: Type.Array(Type.String(), {
      description: 'The choices of `select` and `multiSelect`.',
      examples: [[]],
    }),
    rules: CustomFieldRules,
    visibility: Type.Enum(['private', 'public'], {
      description: '`public`: shops, pages and feeds show the values.',
      examples: ['public'],
    }),
    isFilterable: Type.Boolean({
      description:
        'Whether shoppers can filter by it. Only for products and variants, and not for `longText` and ' +
        '`richText`.',
      examples: [false],
    }),
    appId: nullable(
      Type.String({
        description: 'The app that created the field; its values are under `<appId>/<key>`.',
        examples: [null],
      }),
    ),
    createdAt: Type.String({ format: 'date-time', examples: ['2026-11-20T10:00:00.000Z'] }),
    updatedAt: Type.String({ format: 'date-time', examples: ['2026-11-20T10:00:00.000Z'] }),
  },
  { $id: 'CustomField' },
);
export type CustomField = Static<typeof CustomField>;

export type CustomFieldValue = string | number | boolean | string[];

/** The values of an item, by key. */
export const CustomFieldValues = Type.Unsafe<Record<string, CustomFieldValue>>(
  Type.Object(
    {},
    {
      additionalProperties: Type.Union([
        Type.String(),
        Type.Number(),
        Type.Boolean(),
        Type.Array(Type.String()),
      ]),
      description: 'Values by the keys of their definitions.',
      examples: [{ material: 'Linen' }],
    },
  ),
);
export type CustomFieldValues = Static<typeof CustomFieldValues>;

/** Public values with their types, by key, as services pass them to the service that renders them. */
export const TypedFields = Type.Unsafe<Record<string, { type: CustomFieldType; value: CustomFieldValue }>>(
  Type.Object({}, { additionalProperties: true }),
);

/** The values in a write: a key that it leaves out keeps its value, null removes it. */
export const CustomFieldValuesInput = Type.Unsafe<Record<string, unknown>>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'Omitted keys keep their values; null removes a value.',
      errorCode: 'invalid_custom_field',
      // A store that tries the example has no such field.
      examples: [{}],
    },
  ),
);

/** Returns the key of a definition’s values. */
export const customFieldName = ({ appId, key }: Pick<CustomField, 'appId' | 'key'>): string =>
  appId === null ? key : `${appId}/${key}`;

/** A definition as services pass it to each other; the greatest revision is valid, whichever arrives last. */
export const CustomFieldState = Type.Object({
  ...CustomField.properties,
  revision: Type.Integer(),
  /** When its app was uninstalled: its values stay hidden until the app is installed again. */
  hiddenAt: nullable(Type.String()),
  deletedAt: nullable(Type.String()),
});
export type CustomFieldState = Static<typeof CustomFieldState>;
