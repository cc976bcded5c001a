import { json, jsonParseLinter } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import { tags } from '@lezer/highlight';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { useCallback } from 'react';
import { CodeEditor } from './code-editor.tsx';

export interface JsonEditorProps {
  label: string;
  value: string;
  onChange(value: string): void;
  /** Messages by JSON pointer (RFC 6901) into the text. */
  problems?: Readonly<Record<string, string>>;
  isReadOnly?: boolean;
  /** Receives a function that moves the cursor to a pointer. */
  onReady?(goTo: (pointer: string) => void): void;
}

const none = {};

/** A JSON editor that marks problems at their lines. */
export function JsonEditor({ problems = none, onReady, ...props }: JsonEditorProps) {
  const problemsIn = useCallback((doc: Text) => createDiagnostics(doc, problems), [problems]);
  return (
    <CodeEditor
      {...props}
      language={language}
      problemsIn={problemsIn}
      onReady={(goTo) => onReady?.((pointer) => goTo((doc) => findRange(doc, pointer).from))}
    />
  );
}

const createDiagnostics = (doc: Text, problems: Readonly<Record<string, string>>): Diagnostic[] =>
  Object.entries(problems).map(([pointer, message]) => ({
    ...findRange(doc, pointer),
    severity: 'error',
    message,
  }));

/** Finds the range that a pointer refers to. A missing value is shown at the nearest ancestor that exists. */
function findRange(doc: Text, pointer: string): { from: number; to: number } {
  const text = doc.toString();
  const root = parseTree(text);
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  for (let length = path.length; root && length >= 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (!node) continue;
    const line = doc.lineAt(node.offset);
    // Of a list or an object, only the first line is marked; marking all of it would hide the problems inside.
    return { from: node.offset, to: Math.min(node.offset + node.length, line.to) };
  }
  return { from: 0, to: Math.min(1, doc.length) };
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
]);

const language = [json(), syntaxHighlighting(colours), linter(jsonParseLinter(), { delay: 300 })];
