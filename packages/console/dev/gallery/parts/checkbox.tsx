import { Checkbox } from '../../../src/ui/checkbox.tsx';
import { Stack } from '../../../src/ui/layout.tsx';
import { longText, type Part, Sent, Stateful } from '../part.tsx';

const pair = (props: { isDisabled?: boolean; isReadOnly?: boolean }) => (
  <Stack>
    {[false, true].map((start) => (
      <Stateful key={String(start)} start={start}>
        {(value, onChange) => (
          <Checkbox
            label="Track stock"
            hint="Sold-out variants cannot be ordered."
            {...{ value, onChange }}
            {...props}
          />
        )}
      </Stateful>
    ))}
  </Stack>
);

export default {
  title: 'Checkbox',
  use: 'One thing that is either so or not, saved with its form.',
  examples: {
    Default: pair({}),
    Indeterminate: <Checkbox label="All variants" value={false} isIndeterminate />,
    Disabled: pair({ isDisabled: true }),
    'Read-only': pair({ isReadOnly: true }),
    'While its form is being sent': <Sent>{pair({})}</Sent>,
    'Long text': <Checkbox label={longText} hint={longText} value={true} />,
  },
} satisfies Part;
