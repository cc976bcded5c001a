import {
  CustomField,
  CustomFieldState,
  customFieldEntities,
  customFieldKeyPattern,
  customFieldLimits,
  customFieldTypes,
  Name,
} from '@waybill/contracts';
import { defineRoutes, nullable, pagesOf, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const RulesInput = Type.Object({
  required: Type.Optional(Type.Boolean()),
  min: Type.Optional(nullable(Type.Number())),
  max: Type.Optional(nullable(Type.Number())),
  pattern: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: customFieldLimits.patternLength, examples: ['^[A-Z]'] })),
  ),
});

const fields = {
  name: Name({ examples: ['Material'] }),
  options: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: customFieldLimits.option }), {
      maxItems: customFieldLimits.options,
      description: 'The choices of `select` and `multiSelect`, at least one.',
      examples: [[]],
    }),
  ),
  rules: Type.Optional(RulesInput),
  visibility: Type.Optional(
    Type.Enum(['private', 'public'], { description: '`private` unless said otherwise.' }),
  ),
  isFilterable: Type.Optional(
    Type.Boolean({ description: 'Of products and variants only, and not for `longText` and `richText`.' }),
  ),
};

export const CustomFieldInput = Type.Object(
  {
    entity: Type.Enum([...customFieldEntities], { examples: ['product'] }),
    key: Type.String({
      pattern: customFieldKeyPattern,
      errorCode: { required: 'invalid_key', type: 'invalid_key', pattern: 'invalid_key' },
      examples: ['material'],
    }),
    type: Type.Enum([...customFieldTypes], { examples: ['text'] }),
    ...fields,
  },
  { $id: 'CustomFieldInput' },
);
export type CustomFieldInput = Static<typeof CustomFieldInput>;

export const CustomFieldPatch = Type.Object(
  {
    entity: Type.Optional(Type.Enum([...customFieldEntities], { description: 'Cannot change.' })),
    key: Type.Optional(Type.String({ description: 'Cannot change.' })),
    type: Type.Optional(Type.Enum([...customFieldTypes], { description: 'Cannot change.' })),
    ...fields,
    name: Type.Optional(fields.name),
  },
  { $id: 'CustomFieldPatch' },
);
export type CustomFieldPatch = Static<typeof CustomFieldPatch>;

const ListQuery = Type.Object({
  ...paging,
  entity: Type.Optional(Type.Enum([...customFieldEntities])),
});
export type ListQuery = Static<typeof ListQuery>;

const Item = Type.Object({ customField: CustomField });
const ids = { id: 'customField' } as const;

/** Routes of custom fields: `decisions.md 20.4`. */
export const routes = defineRoutes({
  listCustomFields: {
    method: 'GET',
    path: '/api/v1/custom-fields',
    access: { scope: 'integrations.read' },
    summary: 'List custom fields',
    description: 'The definitions, of one entity or of all, the oldest first. An app sees its own only.',
    query: ListQuery,
    answer: [200, pagesOf('customFields', CustomField)],
  },
  createCustomField: {
    method: 'POST',
    path: '/api/v1/custom-fields',
    access: { scope: 'integrations.write' },
    summary: 'Create a custom field',
    description:
      'Values of it can be written at once. One that an app makes is the app’s own: its values stand under the key ' +
      '`<appId>/<key>`, and it goes when the app is uninstalled.',
    body: CustomFieldInput,
    idempotency: 'handler',
    answer: [201, Item],
    errors: [errors.invalid_key, errors.duplicate_key, errors.too_many_custom_fields],
  },
  getCustomField: {
    method: 'GET',
    path: '/api/v1/custom-fields/{id}',
    access: { scope: 'integrations.read' },
    summary: 'Read a custom field',
    description: 'The definition, not the values: those are part of what has them.',
    ids,
    answer: [200, Item],
  },
  changeCustomField: {
    method: 'PATCH',
    path: '/api/v1/custom-fields/{id}',
    access: { scope: 'integrations.write' },
    summary: 'Change a custom field',
    description:
      'An absent field stays as it is; entity, key and type cannot change. Values that were written before stay, ' +
      'whatever the new rules say.',
    ids,
    body: CustomFieldPatch,
    idempotency: 'handler',
    answer: [200, Item],
  },
  deleteCustomField: {
    method: 'DELETE',
    path: '/api/v1/custom-fields/{id}',
    access: { scope: 'integrations.write' },
    summary: 'Delete a custom field',
    description: 'Its values are gone from every answer at once.',
    ids,
    idempotency: 'handler',
    answer: [204, null],
  },
  lookUpCustomFields: {
    method: 'POST',
    path: '/internal/custom-fields/lookup',
    access: 'service',
    summary: 'List the current custom-field definitions of some entities',
    body: Type.Object({
      storeId: Type.String(),
      entities: Type.Array(Type.Enum([...customFieldEntities]), { maxItems: 7 }),
    }),
    answer: [200, Type.Object({ customFields: Type.Array(CustomFieldState) })],
  },
  hideAppFields: {
    method: 'POST',
    path: '/internal/custom-fields/apps',
    access: 'service',
    summary: 'Hide the custom fields of an app that is being uninstalled',
    description: 'The event of the uninstall does the same, a little later.',
    body: Type.Object({
      storeId: Type.String(),
      appId: Type.String(),
      uninstalledAt: Type.String({ format: 'date-time' }),
    }),
    answer: [204, null],
  },
});
