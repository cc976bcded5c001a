import { Checkbox, CheckboxGroup, RadioGroup, Switch } from '../../../src/ui/choices.tsx';
import { Stack } from '../../../src/ui/layout.tsx';
import { type FieldState, fieldStates, longText, type Part, Stateful } from '../part.tsx';

const visibility = [
  { id: 'public', text: 'Everyone', detail: 'The page appears in search engines.' },
  { id: 'hidden', text: 'Anyone with the link' },
  { id: 'draft', text: 'Nobody yet', detail: longText },
] as const;

const groups = (state: FieldState) => (
  <Stack>
    <Stateful<(typeof visibility)[number]['id']> start="public">
      {(value, onChange) => <RadioGroup {...state} choices={visibility} {...{ value, onChange }} />}
    </Stateful>
    <Stateful start={['read']}>
      {(value, onChange) => (
        <CheckboxGroup {...state} label="Permissions" {...{ value, onChange }}>
          <Checkbox id="read" label="Read products" />
          <Checkbox id="write" label="Change products" hint="Includes prices and stock." />
        </CheckboxGroup>
      )}
    </Stateful>
  </Stack>
);

export default {
  title: 'Choices',
  use: 'A few choices that should all be visible: one of them, or several.',
  examples: {
    ...fieldStates(
      {
        label: 'Who can see it',
        hint: 'You can change this later.',
        problem: 'Choose who can see the page.',
      },
      groups,
    ),
    'Switch beside them': (
      <Stateful start={true}>
        {(value, onChange) => <Switch label="Accept orders" {...{ value, onChange }} />}
      </Stateful>
    ),
  },
} satisfies Part;
