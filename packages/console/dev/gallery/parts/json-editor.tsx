import { JsonEditor } from '../../../src/ui/json-editor.tsx';
import { type Part, Stateful } from '../part.tsx';

const manifest = `{
  "name": "Reviews",
  "scopes": ["products:read"],
  "blocks": []
}`;

const editor = (start: string, props: { problems?: Record<string, string>; isReadOnly?: boolean }) => (
  <Stateful start={start}>
    {(value, onChange) => <JsonEditor label="Manifest" {...{ value, onChange }} {...props} />}
  </Stateful>
);

export default {
  title: 'JSON editor',
  use: 'JSON with its problems at their lines.',
  examples: {
    Default: editor(manifest, {}),
    'Refused by the server': editor(manifest, {
      problems: { '/scopes/0': 'This scope needs a reason.', '/blocks': 'Add at least one block.' },
    }),
    'Not JSON': editor('{\n  "name": Reviews\n}', {}),
    'Read-only': editor(manifest, { isReadOnly: true }),
    Empty: editor('', {}),
  },
} satisfies Part;
