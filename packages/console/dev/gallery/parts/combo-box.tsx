import { useCallback, useState } from 'react';
import { SearchChoice } from '../../../src/ui/combo-box.tsx';
import { toast } from '../../../src/ui/toasts.tsx';
import { type FieldState, fieldStates, longText, type Part } from '../part.tsx';

const products = [
  { id: 'assam', text: 'Assam Broken', detail: '120 in stock' },
  { id: 'earl-grey', text: 'Earl Grey', detail: '42 in stock' },
  { id: 'sencha', text: 'Sencha', detail: 'Sold out', isDisabled: true },
  { id: 'darjeeling', text: longText },
];

function ProductSearch({ isLoading = false, ...state }: FieldState & { isLoading?: boolean }) {
  const [typed, setTyped] = useState('');
  const onSearch = useCallback((text: string) => setTyped(text.toLowerCase()), []);
  return (
    <SearchChoice
      {...state}
      choices={products.filter(({ text }) => text.toLowerCase().includes(typed))}
      onSearch={onSearch}
      onChoose={(id) => toast(`Added ${id}`)}
      placeholder="Search products"
      empty="No product has that name."
      isLoading={isLoading}
    />
  );
}

export default {
  title: 'Search choice',
  use: 'Adds one of many things that the server finds. Type to search.',
  examples: {
    ...fieldStates(
      {
        label: 'Add a product',
        hint: 'Search by name or SKU.',
        problem: 'Add at least one product.',
      },
      (state) => <ProductSearch {...state} />,
    ),
    'Busy: type to see it': <ProductSearch label="Add a product" isLoading />,
  },
} satisfies Part;
