import { useQuery } from '@tanstack/react-query';
import { customFieldsQuery, type FieldEntity, getFieldName } from '../../shell/custom-fields/queries.ts';
import { useWorkbench } from '../workbench/workbench.ts';
import { ChoiceControl, type ControlProps, TypedControl } from './controls.tsx';

/** The entity whose custom field each of these elements shows. */
export const fieldEntities: Readonly<Record<string, FieldEntity>> = {
  productField: 'product',
  categoryField: 'category',
  articleField: 'article',
};

/** A control for a public custom field, chosen by name, or typed if the store has none yet. */
export function FieldControl({ elementType, ...props }: ControlProps & { elementType: string }) {
  const { storeId } = useWorkbench();
  const { data = [] } = useQuery(customFieldsQuery(storeId, fieldEntities[elementType]!));
  const choices = data.flatMap((field) =>
    field.visibility === 'public' ? [{ id: getFieldName(field), text: field.name }] : [],
  );
  const { value } = props;
  const isKnown = value === undefined || value === null || choices.some(({ id }) => id === value);
  return choices.length > 0 && isKnown ? (
    <ChoiceControl {...props} choices={choices} />
  ) : (
    <TypedControl {...props} rows={1} />
  );
}
