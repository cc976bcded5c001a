import { type PageDocument, type Problem, vocabulary } from '@waybill/page';
import { announce } from 'react-aria/private/live-announcer/LiveAnnouncer';
import { queries } from '../../api/queries.ts';
import { themeQuery } from '../../shell/theme.ts';
import { explain, explainProblems } from '../../texts/common.ts';
import type { CommonWords } from '../../texts/en/common.ts';
import type { EditorWords } from '../../texts/en/editor.ts';
import { toast } from '../../ui/toasts.tsx';
import { Sources } from '../canvas/sources.ts';
import type { CheckedPage } from '../checks/page-checks.ts';
import { watchPageProblems } from '../checks/watch.ts';
import { Editor } from '../core/editor.ts';
import { loadMerge } from '../core/lazy-merge.ts';
import { SaveQueue } from '../core/save-queue.ts';
import { toFailure } from '../save/answers.ts';
import { type FoundDocument, openRecovery } from '../save/recovery.ts';
import type { CanvasHandle } from '../workbench/canvas-port.ts';
import { ObservableState } from '../workbench/observable-state.ts';
import { rememberedTab } from '../workbench/panes.ts';
import { findProblemPlace } from '../workbench/problem-place.ts';
import { pageQuery } from '../workbench/queries.ts';
import type { OpenedDocument, Subject, Warning } from '../workbench/subjects.ts';
import { Translations } from '../workbench/translations.ts';
import type { ShownProblem, SurroundingDocument, ViewState, WorkbenchCore } from '../workbench/workbench.ts';

/** The part of the view that each document begins anew. */
const nothingOpen = { scale: 1, editingId: null, sheet: null, problems: [] };

const initialView: ViewState = {
  width: 'base',
  zoom: 'fit',
  locale: null,
  left: 'sections',
  right: 'inspector',
  narrow: 'canvas',
  ...nothingOpen,
};

export interface OpenDocument {
  readonly core: WorkbenchCore;
  /** Returns the changes of this document that closed tabs had not stored. */
  findLost(): Promise<FoundDocument[]>;
  close(): void;
}

interface OpenDocumentInput {
  subject: Subject;
  opened: OpenedDocument;
  canWrite: boolean;
  userId: string;
  words: EditorWords;
  common: CommonWords;
  surrounding?: SurroundingDocument | null;
}

/**
 * Creates the state shared by the parts of the screen for a document that has been read. It lives until the document is
 * closed.
 */
export function openDocument({
  subject,
  opened,
  canWrite,
  userId,
  words,
  common,
  surrounding = null,
}: OpenDocumentInput): OpenDocument {
  const editor = new Editor(vocabulary, opened.document);
  const view = new ObservableState(createInitialView(surrounding));
  const recoveryHandle = openRecovery(recoveryKey(userId, subject));
  const problems = collectProblems(editor, view);
  const sources = new Sources({ editor, view, draw: explainDrawn(subject), onProblems: problems.drawn });
  const stopChecks = watchPageProblems({
    editor,
    sources,
    onFound: problems.checked,
    readPage: () => toCheckedPage(subject),
  });
  const queue = openQueue({ editor, subject, saved: opened, recovery: recoveryHandle.recovery, words });
  const showError = (error: unknown) => void toast(explain(error, common), 'bad');
  const translations = new Translations(subject, showError);
  const stopQueue = watchQueue(queue, subject, problems.refused);
  const canvas: CanvasHandle = surrounding?.workbench.canvas ?? { surface: null };
  const state = { subject, editor, view, sources, queue, translations, canvas, canWrite, surrounding };
  const retry = () => queue.retry();
  window.addEventListener('online', retry);

  return {
    core: {
      ...state,
      storeId: subject.storeId,
      announce: announceText,
      refuse: announceRefusal,
      upload: (file) => uploadToStore(subject.storeId, file).catch(showError),
      translate(entityId, field, text) {
        const { locale } = view.state;
        if (locale === null) return;
        sources.showText(entityId, field, text);
        translations.write(locale, entityId, field, text);
      },
    },
    async findLost() {
      const abandoned = await recoveryHandle.pending();
      if (abandoned.length > 0) await loadMerge();
      return abandoned;
    },
    close() {
      window.removeEventListener('online', retry);
      stopQueue();
      stopChecks();
      queue.close();
      sources.close();
      void translations.flush();
      void recoveryHandle.close();
    },
  };
}

const announceText = (text: string) => announce(text, 'polite');

function announceRefusal({ message }: Problem): void {
  toast(message, 'bad');
  announceText(message);
}

/** Shows why a save was refused, and has lists read the time of the last save. Returns a function that stops. */
const watchQueue = (
  queue: SaveQueue,
  subject: Subject,
  onRefused: (refusal: Refusal | null) => Promise<void>,
) =>
  queue.subscribe(() => {
    const { state } = queue;
    void onRefused(state.kind === 'refused' ? state : null);
    if (state.kind === 'clean')
      void queries.invalidateQueries({ queryKey: [...subject.queryKey, subject.id, 'about'] });
  });

/** Creates the queue that saves the document. */
function openQueue({
  editor,
  subject,
  saved,
  recovery,
  words,
}: {
  editor: Editor;
  subject: Subject;
  saved: OpenedDocument;
  recovery: ReturnType<typeof openRecovery>['recovery'];
  words: EditorWords;
}): SaveQueue {
  return new SaveQueue({
    editor,
    saved,
    write: subject.write,
    read: subject.read,
    classifyFailure: toFailure,
    recovery,
    restoreLabel: words.recover,
    onMerged: () => toast(words.mergedOne),
    onRecoveryFailed: () => toast(words.notKept, 'warn'),
  });
}

/** Uploads a file to the store's media and returns its id. */
async function uploadToStore(storeId: string, file: File): Promise<string> {
  const { uploadFile } = await import('../../api/upload.ts');
  return (await uploadFile(storeId, file)).id;
}

/** Returns the initial view. A section that is edited in place keeps the arrangement of the surrounding document. */
function createInitialView(around: SurroundingDocument | null): ViewState {
  if (around) return { ...around.workbench.view.state, ...nothingOpen };
  const left = rememberedTab();
  // As in `screen.module.css`: on a phone the desktop page would be too small to read.
  const width = matchMedia('(max-width: 760px)').matches ? 'mobile' : 'base';
  return { ...initialView, left, width };
}

/** Template ids are the same in every store, so the key includes the store. */
const recoveryKey = (userId: string, { kind, storeId, id }: Subject) =>
  [userId, kind, ...(kind === 'template' ? [storeId] : []), id].join('/');

/** Collects problems by source: the server, when it refuses a save or draws the document, and the check of the page. */
function collectProblems(editor: Editor, view: ObservableState<ViewState>) {
  const bySource: Record<'refused' | 'drawn' | 'checked', readonly ShownProblem[]> = {
    refused: [],
    drawn: [],
    checked: [],
  };
  let lastRefusal: Refusal | null = null;
  const exists = ({ id }: ShownProblem) => id === null || editor.state.tree.nodes.has(id);
  const show = () => view.set({ problems: Object.values(bySource).flat().filter(exists) });
  function replace(source: keyof typeof bySource, found: readonly ShownProblem[]) {
    if (JSON.stringify(found) === JSON.stringify(bySource[source])) return;
    bySource[source] = found;
    show();
  }
  editor.subscribe((_, changes) => {
    const isOfDrawn = (nodeId: string) => bySource.drawn.some(({ id }) => id === nodeId);
    // Gone or back.
    if (changes.some(({ id, before, after }) => !(before && after) && isOfDrawn(id))) show();
  });
  return {
    drawn: (found: readonly Warning[], document: PageDocument) =>
      replace(
        'drawn',
        found.map((problem) =>
          toShownProblem(document, problem, problem.code === 'invalid_document' ? 'bad' : 'warn'),
        ),
      ),
    checked: (found: readonly ShownProblem[]) => replace('checked', found),
    async refused(refusal: Refusal | null) {
      if (!refusal && !lastRefusal) return;
      lastRefusal = refusal;
      const found = await explainProblems(refusal?.problems ?? []);
      if (lastRefusal !== refusal) return;
      bySource.refused = refusal ? found.map((one) => toShownProblem(refusal.document, one, 'bad')) : [];
      show();
    },
  };
}

/** Draws a subject as it does itself, with its problems in the chosen language. */
const explainDrawn =
  ({ draw }: Subject): Subject['draw'] =>
  async (...args) => {
    const drawn = await draw(...args);
    return { ...drawn, problems: await explainProblems(drawn.problems) };
  };

/** The server's refusal of a document. */
interface Refusal {
  readonly problems: readonly Problem[];
  readonly document: PageDocument;
}

const toShownProblem = (
  document: PageDocument,
  { pointer, message }: Problem,
  tone: ShownProblem['tone'],
): ShownProblem => ({ ...findProblemPlace(document, pointer), tone, message });

/** Returns the facts for the check of the page besides its document: the settings as they were read last. */
async function toCheckedPage({ kind, storeId, id }: Subject): Promise<CheckedPage> {
  const themeData = queries.getQueryData(themeQuery(storeId, 'live').queryKey);
  const theme = themeData && { colors: themeData.theme.colors };
  if (kind !== 'page') return { isPart: true, ...theme };
  const { readPageSeo } = await import('../../shell/page-seo.ts');
  const settings = queries.getQueryData(pageQuery(storeId, id).queryKey)?.page.settings;
  return { ...theme, ...readPageSeo(settings ?? {}) };
}
