import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import { useCallback } from 'react';
import { CodeEditor } from './code-editor.tsx';

/** A mistake in a template and its position; lines and columns count from 1. */
interface Mistake {
  message: string;
  line: number;
  column: number;
}

/** Position of a mistake in the text. The mistake may refer to an earlier text, so the position is clamped. */
function findPosition(doc: Text, { line, column }: Mistake): number {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(found.from + Math.max(column - 1, 0), found.to);
}

function createDiagnostic(doc: Text, mistake: Mistake): Diagnostic {
  const from = findPosition(doc, mistake);
  return { from, to: doc.lineAt(from).to, severity: 'error', message: mistake.message };
}

/** An editor for a template that marks its mistake. */
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
  /** Receives a function that moves the cursor to a mistake. */
  onReady(goTo: (mistake: Mistake) => void): void;
}) {
  const problemsIn = useCallback((doc: Text) => (mistake ? [createDiagnostic(doc, mistake)] : []), [mistake]);
  return (
    <CodeEditor
      {...props}
      problemsIn={problemsIn}
      onReady={(goTo) => onReady((found) => goTo((doc) => findPosition(doc, found)))}
    />
  );
}
