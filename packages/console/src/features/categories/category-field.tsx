import { useQuery } from '@tanstack/react-query';
import { foldText } from '@waybill/contracts/fold';
import { useMemo } from 'react';
import { useStore } from '../../api/me.ts';
import { SuggestField } from '../../ui/suggest-field.tsx';
import { type Category, categoriesQuery } from './queries.ts';
import { formatPath } from './tree.ts';

/** A field for a category of the store, shown by its path. */
export function CategoryField({
  label,
  name,
  hint,
  value,
  onChange,
  without,
  isAnyKind = false,
  none,
  isReadOnly,
}: {
  label: string;
  name: string;
  hint?: string;
  value: string;
  onChange(id: string): void;
  /** Id of a category that cannot be chosen. */
  without: string | null;
  isAnyKind?: boolean;
  /** Label of the empty choice, whose id is ''. */
  none?: string;
  isReadOnly: boolean;
}) {
  const store = useStore();
  const { data: categories = [] } = useQuery(categoriesQuery(store.id));
  const choices = useMemo(() => {
    const byId = new Map<string, Category>(categories.map((each) => [each.id, each]));
    return categories
      .filter(({ id, kind }) => id !== without && (isAnyKind || kind === 'manual'))
      .map(({ id }) => ({ id, text: formatPath(byId, id) }))
      .sort((one, other) => one.text.localeCompare(other.text));
  }, [categories, without, isAnyKind]);
  return (
    <SuggestField
      fold={foldText}
      label={label}
      name={name}
      hint={hint}
      choices={none === undefined ? choices : [{ id: '', text: none }, ...choices]}
      value={value}
      onChange={onChange}
      isDisabled={isReadOnly}
    />
  );
}
