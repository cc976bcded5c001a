import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { type Diagnostic, forceLinting, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  StateEffect,
  type Text,
} from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef, useState } from 'react';
import style from './code-editor.module.css';
import { Echoes } from './echoes.ts';

export interface CodeEditorProps {
  label: string;
  value: string;
  onChange(value: string): void;
  /** Parser and highlighting of the language. Only the value of the first render counts. */
  language?: Extension;
  /** Returns the problems in a text. Passing another function makes the editor check again. */
  problemsIn(text: Text): Diagnostic[];
  isReadOnly?: boolean;
  /** Receives a function that moves the cursor to the position that `positionIn` returns. */
  onReady?(goTo: (positionIn: (text: Text) => number) => void): void;
}

/** An editor for code that marks problems at their lines. F8 moves to the next problem; Tab leaves the editor. */
export function CodeEditor({
  label,
  value,
  onChange,
  language = [],
  problemsIn,
  isReadOnly = false,
  onReady,
}: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ onChange, problemsIn, onReady });
  latest.current = { onChange, problemsIn, onReady };
  const writing = useRef(new Compartment());
  const [echoes] = useState(() => new Echoes(value));
  useEffect(() => {
    // The editor adopts its styles in a shadow root, because the page's policy allows no style elements.
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
          language,
          lintGutter(),
          linter(({ state }) => latest.current.problemsIn(state.doc), {
            delay: 300,
            needsRefresh: ({ transactions }) =>
              transactions.some(({ effects }) => effects.some((effect) => effect.is(otherProblems))),
          }),
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          EditorView.lineWrapping,
          // A scrolling area must be reachable by keyboard, even when it is read-only.
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((change) => change.annotation(fromOutside)))
              return;
            const text = update.state.doc.toString();
            echoes.tell(text);
            latest.current.onChange(text);
          }),
          writing.current.of(readOnly(isReadOnly)),
          look,
        ],
      }),
    });
    view.current = made;
    latest.current.onReady?.((positionIn) => {
      made.dispatch({ selection: { anchor: positionIn(made.state.doc) }, scrollIntoView: true });
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
  }, [problemsIn]);
  return <div ref={host} className={style.editor} />;
}

/** Signals that the known problems have changed. Without it the editor would show them only after the next edit. */
const otherProblems = StateEffect.define<null>();

/** Marks a change that came through the `value` prop, which is not reported back to `onChange`. */
const fromOutside = Annotation.define<boolean>();

const readOnly = (isReadOnly: boolean) => EditorState.readOnly.of(isReadOnly);

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
