import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';

export type CustomField = Model<'CustomField'>;
export type FieldEntity = CustomField['entity'];
export type FieldValue = string | number | boolean | string[];

/** The values of an item by field key; unset fields are absent. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

export const customFieldsKey = (storeId: string) => ['stores', storeId, 'custom-fields'];

/** Properties of a form's custom fields. */
export interface CustomFieldsProps {
  entity: FieldEntity;
  value: FieldValues;
  onChange(value: FieldValues): void;
  /** JSON pointer of the values in the request body. */
  name?: string;
  isReadOnly: boolean;
}

/** Reads all field definitions of an entity, oldest first. */
export const customFieldsQuery = (storeId: string, entity: FieldEntity) =>
  queryOptions({
    queryKey: [...customFieldsKey(storeId), entity],
    staleTime: 60_000,
    async queryFn({ signal }) {
      const fields: CustomField[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const query = { entity, limit: 200, ...(after && { after }) };
        const page = await api.get('/api/stores/{storeId}/custom-fields', {
          params: { path: { storeId }, query },
          signal,
        });
        fields.push(...page.customFields);
        after = page.nextCursor;
      }
      return fields;
    },
  });

/** The key of a field's value within an item. */
export const getFieldName = ({ appId, key }: CustomField): string =>
  appId === null ? key : `${appId}/${key}`;

/** Escapes a key for use in a JSON pointer. */
export const escapePointerKey = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Returns the changed values for a save, with null for removed ones. Unchanged values are not sent, since they may
 * predate a rule that they would break now.
 */
export function findChanges(
  stored: FieldValues = {},
  typed: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(typed))
    if (JSON.stringify(stored[name]) !== JSON.stringify(value)) change[name] = value;
  for (const name of Object.keys(stored)) if (!Object.hasOwn(typed, name)) change[name] = null;
  return change;
}
