import { Filters } from '../../../src/ui/filters.tsx';
import { SearchField } from '../../../src/ui/search-field.tsx';
import { Select } from '../../../src/ui/select.tsx';
import { type Part, Stateful } from '../part.tsx';

const statuses = [
  { id: 'all', text: 'All statuses' },
  { id: 'active', text: 'Active' },
] as const;

const search = (
  <Stateful start="">
    {(value, onChange) => <SearchField label="Search products" {...{ value, onChange }} />}
  </Stateful>
);

export default {
  title: 'Filters',
  use: 'The searches and selects above a list.',
  isWide: true,
  examples: {
    Default: (
      <Filters>
        {search}
        <Stateful<'all' | 'active'> start="all">
          {(value, onChange) => (
            <Select label="Status" isLabelHidden choices={statuses} {...{ value, onChange }} />
          )}
        </Stateful>
      </Filters>
    ),
    'Search only': <Filters>{search}</Filters>,
  },
} satisfies Part;
