import { PercentField } from '../../../src/ui/percent-field.tsx';
import { type Part, Stateful } from '../part.tsx';

export default {
  title: 'Percent field',
  use: 'A percentage of the API, in the notation of the language.',
  examples: {
    Filled: (
      <Stateful start="8.1">
        {(value, onChange) => <PercentField label="Tax rate" {...{ value, onChange }} />}
      </Stateful>
    ),
  },
} satisfies Part;
