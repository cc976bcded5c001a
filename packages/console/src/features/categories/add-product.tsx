import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { SearchChoice } from '../../ui/combo-box.tsx';
import type { Product } from './queries.ts';
import { useCategoryTexts } from './texts.ts';

/** Searches for a product to add to a category. */
export function AddProduct({ known, onAdd }: { known: readonly Product[]; onAdd(id: string): void }) {
  const words = useCategoryTexts();
  const store = useStore();
  const [q, setQ] = useState('');
  const { data, isFetching } = useQuery({
    queryKey: ['stores', store.id, 'products', 'of-category', q],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/products', {
        params: { path: { storeId: store.id }, query: { limit: 20, ...(q && { q }) } },
        signal,
      }),
  });
  const there = new Set(known.map(({ id }) => id));
  return (
    <SearchChoice
      label={words.addMember}
      choices={(data?.products ?? []).map(({ id, name }) => ({
        id,
        text: name,
        isDisabled: there.has(id),
        ...(there.has(id) && { detail: words.isMember }),
      }))}
      onSearch={setQ}
      onChoose={onAdd}
      placeholder={words.searchProducts}
      empty={words.noProducts}
      isLoading={isFetching}
    />
  );
}
