import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import { CodeEditor } from '../../../src/ui/code-editor.tsx';
import { type Part, Stateful } from '../part.tsx';

const css = '.hero {\n  color: teal;\n  padding: 2rem;\n}\n';

const findTeal = (text: Text): Diagnostic[] => {
  const from = text.toString().indexOf('teal');
  return from < 0 ? [] : [{ from, to: from + 4, severity: 'error', message: 'Use a colour of the design.' }];
};
const findNothing = (): Diagnostic[] => [];

const editor = (start: string, props: { problemsIn?: typeof findTeal; isReadOnly?: boolean }) => (
  <Stateful start={start}>
    {(value, onChange) => (
      <CodeEditor label="Styles" problemsIn={findNothing} {...{ value, onChange }} {...props} />
    )}
  </Stateful>
);

export default {
  title: 'Code editor',
  use: 'The editor that the JSON and template editors are made of. Press F8 to go to the next problem.',
  examples: {
    Default: editor(css, {}),
    'With a problem': editor(css, { problemsIn: findTeal }),
    'Read-only': editor(css, { isReadOnly: true }),
    Empty: editor('', {}),
    'Long line': editor(`/* ${'very long line '.repeat(20)}*/`, {}),
  },
} satisfies Part;
