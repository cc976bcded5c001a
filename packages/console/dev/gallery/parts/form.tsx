import { useState } from 'react';
import { Button } from '../../../src/ui/button.tsx';
import { Form } from '../../../src/ui/form.tsx';
import { Actions } from '../../../src/ui/overlays.tsx';
import { TextField } from '../../../src/ui/text-field.tsx';
import type { Part } from '../part.tsx';

const idle = { isPending: false, problems: {} };
const pending = { isPending: true, problems: {} };
const refused = {
  isPending: false,
  problems: { '/name': 'Enter a name.', '': 'The store has reached its limit of products.' },
};

function Example({ isPending = false, isRefused = false }: { isPending?: boolean; isRefused?: boolean }) {
  const [name, setName] = useState('Earl Grey');
  const [mutation, setMutation] = useState(isPending ? pending : idle);
  return (
    <Form mutation={mutation} onSubmit={() => setMutation(isRefused ? refused : idle)}>
      <TextField label="Name" name="/name" value={name} onChange={setName} isRequired />
      <Actions>
        <Button look="primary" type="submit" isPending={mutation.isPending}>
          Add product
        </Button>
      </Actions>
    </Form>
  );
}

export default {
  title: 'Form',
  use: 'Fields that are sent together. Problems appear at their fields, or above them.',
  examples: {
    'Default: empty the field and submit': <Example />,
    'Refused by the server: submit': <Example isRefused />,
    Busy: <Example isPending />,
  },
} satisfies Part;
