import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import { useCallback } from 'react';
import { CodeEditor } from './code-editor.tsx';

/** What is wrong with a template, and where: lines and columns count from 1. */
interface Mistake {
  message: string;
  line: number;
  column: number;
}

/** Where in a text a mistake begins; it may be one of a text before. */
function placeOf(doc: Text, { line, column }: Mistake): number {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(found.from + Math.max(column - 1, 0), found.to);
}

function diagnosticOf(doc: Text, mistake: Mistake): Diagnostic {
  const from = placeOf(doc, mistake);
  return { from, to: doc.lineAt(from).to, severity: 'error', message: mistake.message };
}

/** A template, with its mistake at its line. */
export function TemplateEditor({
  mistake,
  onReady,
  ...props
}: {
  label: string;
  value: string;
  onChange(value: string): void;
  mistake: Mistake | null;
  isReadOnly: boolean;
  /** Gets what moves the cursor to a mistake. */
  onReady(goTo: (mistake: Mistake) => void): void;
}) {
  const problemsIn = useCallback((doc: Text) => (mistake ? [diagnosticOf(doc, mistake)] : []), [mistake]);
  return (
    <CodeEditor
      {...props}
      problemsIn={problemsIn}
      onReady={(goTo) => onReady((found) => goTo((doc) => placeOf(doc, found)))}
    />
  );
}
