import { useState } from 'react';
import { Badge, Empty } from '../../../src/ui/layout.tsx';
import { type ColumnOf, ListPager, Pager, type Sort, Table } from '../../../src/ui/table.tsx';
import { toast } from '../../../src/ui/toasts.tsx';
import { longText, type Part } from '../part.tsx';

interface Product {
  id: string;
  name: string;
  stock: number;
}

const products: readonly Product[] = [
  { id: '1', name: 'Assam Broken', stock: 120 },
  { id: '2', name: 'Earl Grey', stock: 42 },
  { id: '3', name: 'Sencha', stock: 0 },
  { id: '4', name: longText, stock: 3 },
];

const columns: readonly ColumnOf<Product>[] = [
  { id: 'name', title: 'Name', cell: ({ name }) => name, sort: 'name', isHeader: true },
  {
    id: 'status',
    title: 'Status',
    cell: ({ stock }) => (
      <Badge tone={stock > 0 ? 'good' : 'warn'}>{stock > 0 ? 'Active' : 'Sold out'}</Badge>
    ),
  },
  { id: 'sku', title: 'SKU (wide screens)', cell: ({ id }) => `TEA-${id}`, isWide: true },
  { id: 'stock', title: 'Stock', cell: ({ stock }) => stock, sort: 'stock', isEnd: true },
];

const empty = <Empty title="No products yet">Products that you add appear here.</Empty>;

function SelectableTable() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set(['2']));
  const [sort, setSort] = useState<Sort>({ by: 'name', dir: 'asc' });
  return (
    <Table
      label="Products to select"
      columns={columns}
      items={products}
      selected={selected}
      onSelect={setSelected}
      sort={sort}
      onSort={setSort}
      onOpen={({ name }) => toast(`Opened ${name}`)}
      empty={empty}
    />
  );
}

const table = (items: readonly Product[], isLoading = false) => (
  <Table label="Products" columns={columns} items={items} isLoading={isLoading} empty={empty} />
);

const go = () => toast('Another page');

export default {
  title: 'Table',
  use: 'A list of things with columns, and the pager below it.',
  isWide: true,
  examples: {
    Default: table(products),
    'Selectable and sortable': <SelectableTable />,
    'Rows that are links': (
      <Table
        label="Linked products"
        columns={columns}
        items={products}
        getHref={() => '#table'}
        empty={empty}
      />
    ),
    'Busy: the first page': table([], true),
    'Busy: another page': table(products, true),
    Empty: table([]),
    'Pager in the middle': <Pager summary="42 products" onNext={go} onPrevious={go} />,
    'Pager at the end': <Pager summary="42 products" onPrevious={go} />,
    'Pager of a single page': (
      <ListPager list={{ data: { total: 4 } }} summary={(total) => `${total} products`} />
    ),
  },
} satisfies Part;
