import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useStore } from '../../api/me.ts';
import { Card, Skeleton } from '../../ui/layout.tsx';
import { type CustomFieldsProps, customFieldsQuery, type FieldEntity } from './queries.ts';
import { useCustomFieldTexts } from './texts.ts';

/** Loaded on demand, because most stores have no custom fields. */
const Fields = lazy(async () => ({ default: (await import('./fields.tsx')).Fields }));

/** The custom fields of an item; nothing if its entity has none. */
export function CustomFields(props: CustomFieldsProps) {
  const words = useCustomFieldTexts();
  const definitions = useDefinitions(props.entity);
  if (definitions.length === 0) return null;
  return (
    <Card title={words.title}>
      <Suspense fallback={<Skeleton lines={2} />}>
        <Fields definitions={definitions} {...props} />
      </Suspense>
    </Card>
  );
}

/** Returns the field definitions of an entity, or none while they load. */
export function useDefinitions(entity: FieldEntity) {
  const store = useStore();
  const { data = [] } = useQuery({
    ...customFieldsQuery(store.id, entity),
    enabled: store.can('integrations.read'),
  });
  return data;
}
