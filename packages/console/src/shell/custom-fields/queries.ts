import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';

export type CustomField = Model<'CustomField'>;
export type FieldEntity = CustomField['entity'];
export type FieldValue = string | number | boolean | string[];

/** The values of an item, by key; those that are not set are not there. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

export const customFieldsKey = (storeId: string) => ['stores', storeId, 'custom-fields'];

/** The values of an item, while they are being filled in. */
export interface CustomFieldsProps {
  entity: FieldEntity;
  value: FieldValues;
  onChange(value: FieldValues): void;
  /** The pointer of the values in the body that is sent. */
  name?: string;
  isReadOnly: boolean;
}

/** All definitions of an entity, the oldest first. */
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

/** The key that a definition’s values stand under. */
export const nameOf = ({ appId, key }: CustomField): string => (appId === null ? key : `${appId}/${key}`);

/** A key within a JSON pointer. */
export const pointerOf = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * What is sent of values that were typed: those that differ, null for those that were removed. What was stored before a rule
 * was made so stays as it is.
 */
export function changeOf(
  stored: FieldValues = {},
  typed: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(typed))
    if (JSON.stringify(stored[name]) !== JSON.stringify(value)) change[name] = value;
  for (const name of Object.keys(stored)) if (!Object.hasOwn(typed, name)) change[name] = null;
  return change;
}
