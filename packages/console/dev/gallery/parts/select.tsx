import { Select } from '../../../src/ui/select.tsx';
import { fieldStates, longText, type Part, Stateful } from '../part.tsx';

const countries = [
  { id: 'at', text: 'Austria' },
  { id: 'de', text: 'Germany', detail: 'Ships within two days' },
  { id: 'long', text: longText },
];

const select = (
  start: string | null,
  props: { label: string; isLabelHidden?: boolean; placeholder?: string; choices?: typeof countries },
) => (
  <Stateful start={start}>
    {(value, onChange) => <Select choices={countries} {...props} {...{ value, onChange }} />}
  </Stateful>
);

export default {
  title: 'Select',
  use: 'A choice from a short list.',
  examples: {
    ...fieldStates(
      { label: 'Country', hint: 'Where you ship from.', problem: 'Choose a country.' },
      (state) => select('de', state),
    ),
    'Nothing chosen': select(null, { label: 'Country', placeholder: 'Choose a country' }),
    'Hidden label': select('at', { label: 'Country', isLabelHidden: true }),
    'Long choice': select('long', { label: 'Country' }),
    'Empty list': select(null, { label: 'Country', choices: [] }),
  },
} satisfies Part;
