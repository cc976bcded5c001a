import { useQueries, useQuery } from '@tanstack/react-query';
import { foldText } from '@waybill/contracts/fold';
import { pages as allPages, type Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { IconButton } from '../../ui/button.tsx';
import { SearchChoice } from '../../ui/combo-box.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Row, Stack } from '../../ui/layout.tsx';
import { useDiscountTexts } from './texts.ts';

type Kind = 'products' | 'categories';

/** Maximum number of items whose names are read, since each takes a request. Longer lists come from programs. */
const maxNamed = 50;
const maxFound = 20;

/** The products or categories that a discount applies to, found by typing. */
export function ChosenItems({
  kind,
  label,
  pointer,
  ids,
  onChange,
  isDisabled,
}: {
  kind: Kind;
  label: string;
  pointer: string;
  ids: readonly string[];
  onChange(ids: string[]): void;
  isDisabled: boolean;
}) {
  const words = useDiscountTexts();
  const [q, setQ] = useState('');
  const products = useFoundProducts(kind === 'products', q);
  const categories = useCategories(kind === 'categories');
  const names = useNames(kind === 'products' ? ids : []);
  const found = kind === 'products' ? products.found : categories.matching(q);
  const getName = (id: string) => (kind === 'products' ? names.get(id) : categories.findName(id)) ?? id;
  return (
    <Stack>
      <SearchChoice
        label={label}
        name={pointer}
        choices={found.map(({ id, text }) => ({ id, text, isDisabled: ids.includes(id) }))}
        onSearch={setQ}
        onChoose={(id) => onChange([...ids, id])}
        placeholder={words.search[kind]}
        empty={words.nothingFound}
        isLoading={kind === 'products' ? products.isLoading : categories.isLoading}
        isDisabled={isDisabled}
      />
      {ids.map((id) => (
        <Row key={id} isSpread>
          <span>{getName(id)}</span>
          {!isDisabled && (
            <IconButton
              label={words.remove({ name: getName(id) })}
              onPress={() => onChange(ids.filter((each) => each !== id))}
            >
              <CrossIcon />
            </IconButton>
          )}
        </Row>
      ))}
    </Stack>
  );
}

function useFoundProducts(isOn: boolean, q: string) {
  const store = useStore();
  const { data, isFetching } = useQuery({
    queryKey: ['stores', store.id, 'products', 'of-discount', q],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/products', {
        params: { path: { storeId: store.id }, query: { limit: maxFound, ...(q && { q }) } },
        signal,
      }),
    enabled: isOn,
  });
  return { found: (data?.products ?? []).map(({ id, name }) => ({ id, text: name })), isLoading: isFetching };
}

/** Reads the names of products by id; deleted products have none. */
function useNames(ids: readonly string[]): Map<string, string> {
  const store = useStore();
  const read = useQueries({
    queries: ids.slice(0, maxNamed).map((id) => ({
      queryKey: ['stores', store.id, 'products', 'of-discount', 'name', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.get('/api/stores/{storeId}/products/{id}', {
          params: { path: { storeId: store.id, id } },
          signal,
        }),
      retry: false,
    })),
  });
  return new Map(read.flatMap(({ data }) => (data ? [[data.product.id, data.product.name] as const] : [])));
}

/** Reads all categories with their paths: "Clothes › Shirts". */
function useCategories(isOn: boolean) {
  const store = useStore();
  const { data = [], isPending } = useQuery({
    queryKey: ['stores', store.id, 'categories', 'of-discount'],
    async queryFn({ signal }) {
      const found: Model<'Category'>[] = [];
      const read = (after: string | undefined) =>
        api.get('/api/stores/{storeId}/categories', {
          params: { path: { storeId: store.id }, query: { limit: 200, ...(after && { after }) } },
          signal,
        });
      for await (const { categories } of allPages(read)) found.push(...categories);
      return found;
    },
    enabled: isOn,
  });
  const byId = new Map(data.map((category) => [category.id, category]));
  const findName = (id: string): string | undefined => {
    const names: string[] = [];
    for (let at = byId.get(id); at && names.length < 8; at = byId.get(at.parentId ?? ''))
      names.unshift(at.name);
    return names.length > 0 ? names.join(' › ') : undefined;
  };
  return {
    isLoading: isOn && isPending,
    findName,
    matching(q: string) {
      const typed = foldText(q.trim());
      return data
        .map(({ id }) => ({ id, text: findName(id)! }))
        .filter(({ text }) => foldText(text).includes(typed))
        .sort((one, other) => one.text.localeCompare(other.text))
        .slice(0, maxFound);
    },
  };
}
