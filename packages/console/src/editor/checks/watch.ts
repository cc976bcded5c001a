import type { EditorChecksWords } from '../../texts/en/editor-checks.ts';
import { formatMessage, type Message } from '../../texts/messages.ts';
import { defineTexts, language } from '../../texts/texts.ts';
import { whenIdle } from '../../when-idle.ts';
import type { Editor } from '../core/editor.ts';
import type { SourcesStore } from '../workbench/workbench.ts';
import type { CheckedPage, CheckedProblem } from './page-checks.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/editor-checks.ts'),
  de: () => import('../../texts/de/editor-checks.ts'),
});

function explainProblem({ code, detail }: CheckedProblem, words: EditorChecksWords): string {
  if (code === 'deadLink' && detail.text === '') return words.deadLinkWithoutText;
  return formatMessage(words[code] as Message<CheckedProblem['detail']>, detail);
}

/** Pause in typing before a check. */
const debounceMs = 1_000;

/**
 * Checks a page after each change, once it rests and the browser is idle. Problems are reported together with their
 * messages. Returns the function that ends it.
 */
export function watchPageProblems({
  editor,
  sources,
  readPage,
  onFound,
}: {
  editor: Editor;
  sources: SourcesStore;
  readPage(): Promise<CheckedPage>;
  onFound(found: readonly (CheckedProblem & { readonly message: string })[]): void;
}): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  async function check(): Promise<void> {
    // A separate chunk, because nothing else needs its knowledge of colours.
    const [{ checkPage }, words] = await Promise.all([
      import('./page-checks.ts'),
      texts.read(language.read()),
    ]);
    const page = await readPage();
    await whenIdle();
    if (isStopped || !sources.state) return;
    const found = checkPage(editor.document, sources.state, page);
    onFound(found.map((problem) => ({ ...problem, message: explainProblem(problem, words) })));
  }
  const scheduleCheck = () => {
    clearTimeout(timer);
    // A chunk that failed to load is requested again after the next change.
    timer = setTimeout(() => void check().catch(() => {}), debounceMs);
  };
  const unsubscribers = [
    editor.subscribe((_, changes) => {
      if (changes.length > 0) scheduleCheck();
    }),
    sources.subscribe(scheduleCheck),
    () => clearTimeout(timer),
  ];
  scheduleCheck();
  return () => {
    isStopped = true;
    for (const stop of unsubscribers) stop();
  };
}
