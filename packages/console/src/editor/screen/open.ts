import { type Problem, vocabulary } from '@waybill/page';
import { announce } from 'react-aria/private/live-announcer/LiveAnnouncer';
import { queries } from '../../api/queries.ts';
import { themeQuery } from '../../shell/theme.ts';
import { explain } from '../../texts/common.ts';
import type { CommonWords } from '../../texts/en/common.ts';
import type { EditorWords } from '../../texts/en/editor.ts';
import { toast } from '../../ui/toasts.tsx';
import type { CanvasHandle } from '../canvas/handle.ts';
import { Sources } from '../canvas/sources.ts';
import type { CheckedPage, CheckedProblem } from '../checks/page-checks.ts';
import { watchPage } from '../checks/watch.ts';
import { Editor } from '../core/editor.ts';
import { loadMerge } from '../core/merging.ts';
import { SaveQueue } from '../core/save-queue.ts';
import { failureOf } from '../save/answers.ts';
import { type Found, recoveryOf } from '../save/recovery.ts';
import { rememberedTab } from './panes.ts';
import { pageQuery } from './queries.ts';
import { Shared } from './store.ts';
import type { Opened, Subject, Warning } from './subjects.ts';
import { Translations } from './translations.ts';
import type { Around, ShownProblem, ViewState, WorkbenchCore } from './workbench.ts';

const firstView: ViewState = {
  width: 'base',
  zoom: 'fit',
  scale: 1,
  locale: null,
  editingId: null,
  left: 'sections',
  right: 'inspector',
  narrow: 'canvas',
  sheet: null,
  problems: [],
};

export interface OpenDocument {
  readonly core: WorkbenchCore;
  /** Returns the changes of this document that closed tabs had not stored. */
  lost(): Promise<Found[]>;
  close(): void;
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
  around = null,
}: {
  subject: Subject;
  opened: Opened;
  canWrite: boolean;
  userId: string;
  words: EditorWords;
  common: CommonWords;
  around?: Around | null;
}): OpenDocument {
  const editor = new Editor(vocabulary, opened.document);
  const view = new Shared(viewAtFirst(around));
  const canvas: CanvasHandle = around?.workbench.canvas ?? { surface: null };
  const kept = recoveryOf(recoveryKey(userId, subject));
  const say = (text: string) => announce(text, 'polite');
  const problems = collectProblems(editor, view);
  const sources = new Sources({ editor, view, draw: subject.draw, onProblems: problems.drawn });
  const stopChecks = watchPage({
    editor,
    sources,
    onFound: problems.checked,
    about: () => checkedOf(subject),
  });
  const queue = openQueue({ editor, subject, saved: opened, recovery: kept.recovery, words });
  const fail = (error: unknown) => void toast(explain(error, common), 'bad');
  const translations = new Translations(subject, fail);
  const stopQueue = queue.subscribe(() => {
    const { state } = queue;
    problems.refused(state.kind === 'refused' ? state.problems : []);
    // Lists show the time of the last save.
    if (state.kind === 'clean')
      void queries.invalidateQueries({ queryKey: [...subject.queryKey, subject.id, 'about'] });
  });
  const retry = () => queue.retry();
  window.addEventListener('online', retry);

  return {
    core: {
      storeId: subject.storeId,
      subject,
      editor,
      view,
      sources,
      queue,
      translations,
      canvas,
      canWrite,
      around,
      announce: say,
      refuse({ message }) {
        toast(message, 'bad');
        say(message);
      },
      upload: (file) => uploadTo(subject.storeId, file).catch(fail),
      translate(entityId, field, text) {
        const { locale } = view.state;
        if (locale === null) return;
        sources.showText(entityId, field, text);
        translations.write(locale, entityId, field, text);
      },
    },
    async lost() {
      const found = await kept.pending();
      if (found.length > 0) await loadMerge();
      return found;
    },
    close() {
      window.removeEventListener('online', retry);
      stopQueue();
      stopChecks();
      queue.close();
      sources.close();
      void translations.flush();
      void kept.close();
    },
  };
}

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
  saved: Opened;
  recovery: ReturnType<typeof recoveryOf>['recovery'];
  words: EditorWords;
}): SaveQueue {
  return new SaveQueue({
    editor,
    saved,
    write: subject.write,
    read: subject.read,
    failureOf,
    recovery,
    restoreLabel: words.recover,
    onMerged: () => toast(words.mergedOne),
    onNotKept: () => toast(words.notKept, 'warn'),
  });
}

/** Uploads a file to the store's media and returns its id. */
async function uploadTo(storeId: string, file: File): Promise<string> {
  const { uploadFile } = await import('../../api/upload.ts');
  return (await uploadFile(storeId, file)).id;
}

/** Returns the initial view. A section that is edited in place keeps the arrangement of the surrounding document. */
function viewAtFirst(around: Around | null): ViewState {
  if (around) {
    const { width, zoom, locale, left, right, narrow } = around.workbench.view.state;
    return { ...firstView, width, zoom, locale, left, right, narrow };
  }
  const left = rememberedTab();
  // As in `screen.module.css`: on a phone the desktop page would be too small to read.
  const width = matchMedia('(max-width: 760px)').matches ? 'mobile' : 'base';
  return { ...firstView, left, width };
}

/** Template ids are the same in every store, so the key includes the store. */
const recoveryKey = (userId: string, { kind, storeId, id }: Subject) =>
  [userId, kind, ...(kind === 'template' ? [storeId] : []), id].join('/');

/** Collects problems by source: the server, when it refuses a save or draws the document, and the check of the page. */
function collectProblems(editor: Editor, view: Shared<ViewState>) {
  let drawn: readonly ShownProblem[] = [];
  let refused: readonly ShownProblem[] = [];
  let checked: readonly ShownProblem[] = [];
  const show = () => view.set({ problems: [...refused, ...drawn, ...checked] });
  return {
    drawn(found: readonly Warning[]) {
      const next = found.map((one) => placed(editor, one, one.code === 'invalid_document' ? 'bad' : 'warn'));
      if (JSON.stringify(next) === JSON.stringify(drawn)) return;
      drawn = next;
      show();
    },
    checked(found: readonly (CheckedProblem & { readonly message: string })[]) {
      const next = found.map(({ id, pointer, tone, message }) => ({
        id,
        ...(pointer && { pointer }),
        tone,
        message,
      }));
      if (JSON.stringify(next) === JSON.stringify(checked)) return;
      checked = next;
      show();
    },
    refused(found: readonly Problem[]) {
      if (found.length === 0 && refused.length === 0) return;
      refused = found.map((one) => placed(editor, one, 'bad'));
      show();
    },
  };
}

/** Splits a pointer such as `/document/nodes/12/props/style/base/color` into the node and the place within it. */
function placed(editor: Editor, { pointer, message }: Problem, tone: ShownProblem['tone']): ShownProblem {
  const [, position, rest = ''] = /^(?:\/document)?\/nodes\/(\d+)(\/.*)?$/.exec(pointer) ?? [];
  const id = position === undefined ? undefined : editor.document.nodes[Number(position)]?.id;
  return { id: id ?? null, pointer: rest, tone, message };
}

/** Returns the facts for the check of the page besides its document: the settings as they were read last. */
function checkedOf({ kind, storeId, id }: Subject): CheckedPage {
  const look = queries.getQueryData(themeQuery(storeId, 'live').queryKey);
  const theme = look && { colors: look.theme.colors };
  if (kind !== 'page') return { isPart: true, ...theme };
  const { title, description } = queries.getQueryData(pageQuery(storeId, id).queryKey)?.page.settings ?? {};
  return {
    ...theme,
    title: typeof title === 'string' ? title : null,
    description: typeof description === 'string' ? description : null,
  };
}
