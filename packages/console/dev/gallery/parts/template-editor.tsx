import { TemplateEditor } from '../../../src/ui/template-editor.tsx';
import { type Part, Stateful } from '../part.tsx';

const template = 'Hello {{ customer.name }},\n\nyour order {{ order.number }} is on its way.\n';
const mistake = { message: 'There is no “order.number”. Do you mean “order.id”?', line: 3, column: 12 };

const editor = (start: string, props: { mistake?: typeof mistake; isReadOnly?: boolean }) => (
  <Stateful start={start}>
    {(value, onChange) => (
      <TemplateEditor
        label="Mail"
        mistake={props.mistake ?? null}
        isReadOnly={props.isReadOnly ?? false}
        onReady={() => {}}
        {...{ value, onChange }}
      />
    )}
  </Stateful>
);

export default {
  title: 'Template editor',
  use: 'The text of a mail, with its mistake marked.',
  examples: {
    Default: editor(template, {}),
    'With a mistake': editor(template, { mistake }),
    'Read-only': editor(template, { isReadOnly: true }),
    Empty: editor('', {}),
  },
} satisfies Part;
