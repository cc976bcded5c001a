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
  /** How the language is read and coloured; of the first render. */
  language?: Extension;
  /** What is wrong with a text. Another function means that other problems are known. */
  problemsIn(text: Text): Diagnostic[];
  isReadOnly?: boolean;
  /** Gets what moves the cursor to a position of the text, which it is given. */
  onReady?(goTo: (positionIn: (text: Text) => number) => void): void;
}

/** Text in a language of machines, with what is wrong at its lines. F8 goes to the next problem; Tab leaves. */
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
          language,
          lintGutter(),
          linter(({ state }) => latest.current.problemsIn(state.doc), {
            delay: 300,
            needsRefresh: ({ transactions }) =>
              transactions.some(({ effects }) => effects.some((effect) => effect.is(otherProblems))),
          }),
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          EditorView.lineWrapping,
          // What scrolls has to be reached by keyboard, also where nothing can be typed.
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

/** Other problems are known: without this nothing is shown of them until something is typed. */
const otherProblems = StateEffect.define<null>();

/** A change that was not typed: whoever made it knows of it. */
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
