import { ColorField } from '../../../src/ui/color-field.tsx';
import { type FieldState, fieldStates, type Part, Stateful } from '../part.tsx';

const field = (start: string, state: FieldState & { warning?: string }) => (
  <Stateful start={start}>
    {(value, onChange) => <ColorField pickLabel="Pick a colour" {...state} {...{ value, onChange }} />}
  </Stateful>
);

export default {
  title: 'Color field',
  use: 'A colour to pick or to type.',
  examples: {
    ...fieldStates(
      { label: 'Accent', hint: 'For buttons and links.', problem: 'Enter a colour, such as #3346c7.' },
      (state) => field('#3346c7', state),
    ),
    'With a warning': field('#ffee00', {
      label: 'Accent',
      warning: 'White text is hard to read on this colour.',
    }),
    'A notation that the picker does not know': field('oklch(60% 0.2 280)', { label: 'Accent' }),
  },
} satisfies Part;
