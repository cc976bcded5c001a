import {
  CustomField,
  CustomFieldState,
  customFieldEntities,
  customFieldKeyPattern,
  customFieldLimits,
  customFieldTypes,
  Name,
} from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
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
      description: 'The choices of `select` and `multiSelect`; at least one.',
      examples: [[]],
    }),
  ),
  rules: Type.Optional(RulesInput),
  visibility: Type.Optional(Type.Enum(['private', 'public'], { description: '`private` by default.' })),
  isFilterable: Type.Optional(
    Type.Boolean({ description: 'Only for products and variants, and not for `longText` and `richText`.' }),
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
    entity: Type.Optional(Type.Enum([...customFieldEntities], { description: 'Cannot be changed later.' })),
    key: Type.Optional(Type.String({ description: 'Cannot be changed later.' })),
    type: Type.Optional(Type.Enum([...customFieldTypes], { description: 'Cannot be changed later.' })),
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
    description: 'The definitions for one entity or for all, oldest first. An app sees only its own.',
    query: ListQuery,
    answer: [200, pageSchema('customFields', CustomField)],
  },
  createCustomField: {
    method: 'POST',
    path: '/api/v1/custom-fields',
    access: { scope: 'integrations.write' },
    summary: 'Create a custom field',
    description:
      'Its values can be written at once. A custom field created by an app belongs to the app: its values are ' +
      'under the key `<appId>/<key>`, and it is deleted when the app is uninstalled.',
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
    description: 'Returns the definition; the values are part of their entities.',
    ids,
    answer: [200, Item],
  },
  changeCustomField: {
    method: 'PATCH',
    path: '/api/v1/custom-fields/{id}',
    access: { scope: 'integrations.write' },
    summary: 'Change a custom field',
    description:
      'Omitted fields keep their values; entity, key and type cannot change. Existing values stay, even if ' +
      'they break the new rules.',
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
    description: 'Its values disappear from every answer at once.',
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
    description: 'The uninstall event later has the same effect.',
    body: Type.Object({
      storeId: Type.String(),
      appId: Type.String(),
      uninstalledAt: Type.String({ format: 'date-time' }),
    }),
    answer: [204, null],
  },
});
