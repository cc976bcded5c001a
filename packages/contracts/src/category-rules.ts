import type { CustomFieldType } from './custom-fields.ts';

/** The operations with which a rule compares values: `decisions.md 20.3`. */
export const ruleOperations = ['is', 'isNot', 'contains', 'startsWith', 'above', 'below', 'within'] as const;
export type RuleOperation = (typeof ruleOperations)[number];

/** The fields that a condition may name; the values of custom fields are `customField.<key>`. */
export const ruleFields = ['tag', 'name', 'vendor', 'priceCents', 'stock', 'createdAt', 'category'] as const;
export type RuleField = (typeof ruleFields)[number];

/** The prefix of a condition on a custom field; the field's key follows. */
export const customFieldPrefix = 'customField.';

export const maxRuleConditions = 20;

/** The operations that fit each kind of value. */
export const operationsOfKind = {
  text: ['is', 'isNot', 'contains', 'startsWith'],
  number: ['is', 'isNot', 'above', 'below'],
  decimal: ['is', 'isNot', 'above', 'below'],
  instant: ['above', 'below', 'within'],
  time: ['is', 'isNot', 'above', 'below', 'within'],
  boolean: ['is', 'isNot'],
  id: ['is', 'isNot'],
  category: ['is', 'isNot'],
} as const satisfies Record<string, readonly RuleOperation[]>;
export type RuleValueKind = keyof typeof operationsOfKind;

/** The kind of value of each field. */
export const kindOfRuleField: Readonly<Record<RuleField, RuleValueKind>> = {
  tag: 'text',
  name: 'text',
  vendor: 'text',
  priceCents: 'number',
  stock: 'number',
  createdAt: 'instant',
  category: 'category',
};

/** The kind of value that custom fields of each type have in rules. */
export const kindOfCustomFieldType: Readonly<Record<CustomFieldType, RuleValueKind>> = {
  text: 'text',
  longText: 'text',
  richText: 'text',
  url: 'text',
  color: 'text',
  select: 'text',
  multiSelect: 'text',
  list: 'text',
  integer: 'number',
  decimal: 'decimal',
  boolean: 'boolean',
  date: 'time',
  instant: 'time',
  media: 'id',
  product: 'id',
};
