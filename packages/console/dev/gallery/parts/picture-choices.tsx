import { PictureChoices } from '../../../src/ui/picture-choices.tsx';
import { fieldStates, longText, type Part, Stateful } from '../part.tsx';

const picture = (columns: number) => (
  <svg viewBox="0 0 60 40" width="60" height="40" aria-hidden="true" fill="currentColor">
    {Array.from({ length: columns }, (_, at) => (
      <rect key={at} x={(60 / columns) * at + 2} y="4" width={60 / columns - 4} height="32" />
    ))}
  </svg>
);

const choices = [
  { id: 'one', text: 'One column', picture: picture(1) },
  { id: 'two', text: 'Two columns', picture: picture(2) },
  { id: 'three', text: 'Three columns', picture: picture(3) },
  { id: 'long', text: longText, picture: picture(4) },
];

const {
  Disabled: _,
  'Read-only': __,
  ...states
} = fieldStates(
  { label: 'Layout', hint: 'You can change it later.', problem: 'Choose a layout.' },
  (state) => (
    <Stateful start="two">
      {(value, onChange) => <PictureChoices {...state} choices={choices} {...{ value, onChange }} />}
    </Stateful>
  ),
);

export default {
  title: 'Picture choices',
  use: 'A choice between things that people recognise by how they look.',
  examples: states,
} satisfies Part;
