import { SearchField } from '../../../src/ui/search-field.tsx';
import { longText, type Part, Stateful } from '../part.tsx';

const field = (start: string, label = 'Search products') => (
  <Stateful start={start}>
    {(value, onChange) => (
      <>
        <SearchField label={label} {...{ value, onChange }} />
        <p>Searched: {value || 'nothing'}</p>
      </>
    )}
  </Stateful>
);

export default {
  title: 'Search field',
  use: 'Searches once people pause, or at once when they press Enter.',
  examples: {
    Empty: field(''),
    Filled: field('Earl Grey'),
    'Long text': field(longText),
    'Long label': field('', longText),
  },
} satisfies Part;
