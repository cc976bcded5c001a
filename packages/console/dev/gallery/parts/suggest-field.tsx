import { foldText } from '@waybill/contracts/fold';
import { SuggestField } from '../../../src/ui/suggest-field.tsx';
import { fieldStates, longText, type Part, Stateful } from '../part.tsx';

const zones = [
  { id: 'Europe/Berlin', text: 'Berlin', detail: 'UTC+1' },
  { id: 'Europe/Vienna', text: 'Vienna', detail: 'UTC+1' },
  { id: 'long', text: longText },
];

const field = (
  start: string | null,
  props: { label: string; takesTyped?: boolean; placeholder?: string; choices?: typeof zones },
) => (
  <Stateful start={start}>
    {(value, onChange) => (
      <SuggestField choices={zones} fold={foldText} {...props} {...{ value, onChange }} />
    )}
  </Stateful>
);

export default {
  title: 'Suggest field',
  use: 'A choice from many known options. Type to find one.',
  examples: {
    ...fieldStates(
      { label: 'Time zone', hint: 'For reports and mails.', problem: 'Choose a time zone.' },
      (state) => field('Europe/Berlin', state),
    ),
    'Nothing chosen': field(null, { label: 'Time zone', placeholder: 'Type a city' }),
    'Takes any text': field('Tea', { label: 'Product type', takesTyped: true }),
    'Empty list': field(null, { label: 'Time zone', choices: [] }),
  },
} satisfies Part;
