import { Button } from '../../../src/ui/button.tsx';
import { TextField, type TextFieldProps } from '../../../src/ui/text-field.tsx';
import { fieldStates, longText, type Part, Stateful } from '../part.tsx';

const field = (start: string, props: Omit<TextFieldProps, 'value' | 'onChange'>) => (
  <Stateful start={start}>{(value, onChange) => <TextField {...props} {...{ value, onChange }} />}</Stateful>
);

export default {
  title: 'Text field',
  use: 'One line of text, or several.',
  examples: {
    ...fieldStates({ label: 'Name', hint: 'Customers see this name.', problem: 'Enter a name.' }, (state) =>
      field('Earl Grey', state),
    ),
    Empty: field('', { label: 'Name', placeholder: 'Earl Grey' }),
    'Several lines': field(longText, { label: 'Note', rows: 4 }),
    Code: field('TEA-100', { label: 'SKU', isCode: true }),
    'With a button': field('https://shop.example', { label: 'Address', after: <Button>Check</Button> }),
    Password: field('secret', { label: 'Password', type: 'password', autoComplete: 'off' }),
    'Long value': field(longText, { label: 'Name' }),
    'Right-to-left text': field('شاي', { label: 'Name' }),
  },
} satisfies Part;
