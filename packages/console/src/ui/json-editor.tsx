import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, forceLinting, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, StateEffect, type Text } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { useEffect, useRef, useState } from 'react';
import { Echoes } from './echoes.ts';
import style from './json-editor.module.css';

export interface JsonEditorProps {
  label: string;
  value: string;
  onChange(value: string): void;
  /** Messages by pointer (RFC 6901) into the text. */
  problems?: Readonly<Record<string, string>>;
  isReadOnly?: boolean;
  /** Gets what moves the cursor to a pointer. */
  onReady?(goTo: (pointer: string) => void): void;
}

/** JSON, with what is wrong at its lines. F8 goes to the next problem; Tab leaves. */
export function JsonEditor({
  label,
  value,
  onChange,
  problems = {},
  isReadOnly = false,
  onReady,
}: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const told = useRef({ onChange, problems, onReady });
  told.current = { onChange, problems, onReady };
  const writing = useRef(new Compartment());
  const [echoes] = useState(() => new Echoes(value));
  useEffect(() => {
    // In a tree of its own, where its styles are adopted: the page's policy lets no style element in.
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          json(),
          syntaxHighlighting(colours),
          lintGutter(),
          linter((shown) => [...parses(shown), ...diagnosticsOf(shown.state.doc, told.current.problems)], {
            delay: 300,
            needsRefresh: ({ transactions }) =>
              transactions.some(({ effects }) => effects.some((effect) => effect.is(otherProblems))),
          }),
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((change) => change.annotation(fromOutside)))
              return;
            const text = update.state.doc.toString();
            echoes.tell(text);
            told.current.onChange(text);
          }),
          writing.current.of(readOnly(isReadOnly)),
          look,
        ],
      }),
    });
    view.current = made;
    told.current.onReady?.((pointer) => {
      const { from } = placeOf(made.state.doc, pointer);
      made.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      made.focus();
    });
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const shown = view.current!;
    if (!echoes.isOwn(value))
      shown.dispatch({
        changes: { from: 0, to: shown.state.doc.length, insert: value },
        annotations: fromOutside.of(true),
      });
  }, [value, echoes]);
  useEffect(() => {
    view.current!.dispatch({ effects: writing.current.reconfigure(readOnly(isReadOnly)) });
  }, [isReadOnly]);
  useEffect(() => {
    view.current!.dispatch({ effects: otherProblems.of(null) });
    forceLinting(view.current!);
  }, [problems]);
  return <div ref={host} className={style.editor} />;
}

/** Other problems are known: without this nothing is shown of them until something is typed. */
const otherProblems = StateEffect.define<null>();

/** A change that was not typed: whoever made it knows of it. */
const fromOutside = Annotation.define<boolean>();

const parses = jsonParseLinter();

const readOnly = (isReadOnly: boolean) => EditorState.readOnly.of(isReadOnly);

const diagnosticsOf = (doc: Text, problems: Readonly<Record<string, string>>): Diagnostic[] =>
  Object.entries(problems).map(([pointer, message]) => ({
    ...placeOf(doc, pointer),
    severity: 'error',
    message,
  }));

/** Where in the text a pointer leads; what is not there is shown at what it should be in. */
function placeOf(doc: Text, pointer: string): { from: number; to: number } {
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
    // Of a list or an object its first line: all of it would hide what is within.
    return { from: node.offset, to: Math.min(node.offset + node.length, line.to) };
  }
  return { from: 0, to: Math.min(1, doc.length) };
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
]);

const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', maxHeight: '32rem', minHeight: '12rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.8125rem', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--muted)',
    backgroundColor: 'var(--surface)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--raised)', borderColor: 'var(--line)' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--raised)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)' },
});
