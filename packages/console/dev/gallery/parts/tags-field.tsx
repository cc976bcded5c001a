import { TagsField } from '../../../src/ui/tags-field.tsx';
import { Invalid, longText, longWord, type Part, Sent, Stateful } from '../part.tsx';

const field = (
  start: readonly string[],
  props: { label?: string; hint?: string; name?: string; isReadOnly?: boolean } = {},
) => (
  <Stateful start={start}>
    {(value, onChange) => (
      <TagsField label="Tags" hint="Separate them by commas." {...props} {...{ value, onChange }} />
    )}
  </Stateful>
);

export default {
  title: 'Tags field',
  use: 'Words separated by commas. Doubled and empty ones go when the field loses the focus.',
  examples: {
    Default: field(['tea', 'black']),
    Empty: field([]),
    'Read-only': field(['tea', 'black'], { isReadOnly: true }),
    Invalid: (
      <Invalid text="A tag has at most 50 characters.">{field([longWord], { name: '/value' })}</Invalid>
    ),
    'While its form is being sent': <Sent>{field(['tea'])}</Sent>,
    'Long label and hint': field(['tea'], { label: longText, hint: longText }),
  },
} satisfies Part;
