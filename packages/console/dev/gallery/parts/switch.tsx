import { Stack } from '../../../src/ui/layout.tsx';
import { Switch } from '../../../src/ui/switch.tsx';
import { longText, type Part, Sent, Stateful } from '../part.tsx';

const pair = (props: { isDisabled?: boolean; isReadOnly?: boolean }) => (
  <Stack>
    {[false, true].map((start) => (
      <Stateful key={String(start)} start={start}>
        {(value, onChange) => <Switch label="Accept orders" {...{ value, onChange }} {...props} />}
      </Stateful>
    ))}
  </Stack>
);

export default {
  title: 'Switch',
  use: 'Turns something on or off.',
  examples: {
    Default: pair({}),
    Disabled: pair({ isDisabled: true }),
    'Read-only': pair({ isReadOnly: true }),
    'While its form is being sent': <Sent>{pair({})}</Sent>,
    'Without a visible label': (
      <Stateful start={true}>
        {(value, onChange) => <Switch label="" aria-label="Accept orders" {...{ value, onChange }} />}
      </Stateful>
    ),
    'Long text': <Switch label={longText} value={true} onChange={() => {}} />,
  },
} satisfies Part;
