import { ComboBox } from 'react-aria-components/ComboBox';
import { ComboParts } from '../../../src/ui/combo-parts.tsx';
import { longText, type Part } from '../part.tsx';

const countries = [
  { id: 'at', text: 'Austria' },
  { id: 'de', text: 'Germany', detail: 'Ships within two days' },
  { id: 'long', text: longText, detail: longText },
];

export default {
  title: 'Combo parts',
  use: 'The inside of a combo box, shared by search choice and suggest field.',
  examples: {
    Default: (
      <ComboBox items={countries}>
        <ComboParts label="Country" placeholder="Type a country" />
      </ComboBox>
    ),
    Disabled: (
      <ComboBox items={countries} isDisabled>
        <ComboParts label="Country" hint="Where you ship from." />
      </ComboBox>
    ),
    Empty: (
      <ComboBox items={[]} allowsEmptyCollection>
        <ComboParts label="Country" empty="No country has that name." />
      </ComboBox>
    ),
  },
} satisfies Part;
