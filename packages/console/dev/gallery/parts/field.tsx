import { Input } from 'react-aria-components/Input';
import { TextField } from 'react-aria-components/TextField';
import { FieldFrame } from '../../../src/ui/field.tsx';
import style from '../../../src/ui/fields.module.css';
import { type FieldState, fieldStates, type Part } from '../part.tsx';

const field = ({ label, hint, ...state }: FieldState) => (
  <TextField {...state} defaultValue="Earl Grey" className={style.field!}>
    <FieldFrame label={label} hint={hint}>
      <Input />
    </FieldFrame>
  </TextField>
);

export default {
  title: 'Field',
  use: 'The label, hint and error around every control, here around a bare input.',
  examples: fieldStates({ label: 'Name', hint: 'Customers see this name.', problem: 'Enter a name.' }, field),
} satisfies Part;
