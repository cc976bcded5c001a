import { NumberField, type NumberFieldProps } from '../../../src/ui/number-field.tsx';
import { fieldStates, type Part, Stateful } from '../part.tsx';

type Given = Omit<NumberFieldProps, 'value' | 'onChange'>;

const field = (start: number | null, props: Given) => (
  <Stateful start={start}>
    {(value, onChange) => <NumberField {...props} {...{ value, onChange }} />}
  </Stateful>
);

export default {
  title: 'Number field',
  use: 'A number or an amount of money, in the notation of the language. Arrow keys change it.',
  examples: {
    ...fieldStates(
      { label: 'Stock', hint: 'Whole pieces.', problem: 'Stock must not be negative.' },
      (state) => field(42, { ...state, step: 1 }),
    ),
    Empty: field(null, { label: 'Stock', step: 1 }),
    Money: field(1490, { label: 'Price', money: { currency: 'EUR', exponent: 2 } }),
    'From 1 to 10: type 11': field(5, { label: 'Quantity', minValue: 1, maxValue: 10, step: 1 }),
  },
} satisfies Part;
