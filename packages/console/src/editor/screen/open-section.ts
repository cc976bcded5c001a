import type { CommonWords } from '../../texts/en/common.ts';
import type { EditorWords } from '../../texts/en/editor.ts';
import type { SectionWords } from '../../texts/en/editor-section.ts';
import { toast } from '../../ui/toasts.tsx';
import { sectionSubject } from '../workbench/subjects.ts';
import type { WorkbenchCore } from '../workbench/workbench.ts';
import { saveOnLeaving } from './leaving.ts';
import { type OpenDocument, openDocument } from './open.ts';
import { readSectionTexts } from './section-texts.ts';

/** A global section and the node of the surrounding document that refers to it. */
interface SectionPlace {
  readonly outer: WorkbenchCore;
  readonly referenceId: string;
  readonly sectionId: string;
}

interface Reader {
  readonly userId: string;
  readonly words: EditorWords;
  readonly common: CommonWords;
}

/**
 * Opens a global section for editing within the open document. `onLeft` is called once the section has been stored and
 * left.
 */
export async function openSection(
  { outer, referenceId, sectionId }: SectionPlace,
  { userId, words, common }: Reader,
  onLeft: () => void,
): Promise<OpenDocument> {
  const subject = sectionSubject(outer.storeId, sectionId);
  const [opened, sectionWords] = await Promise.all([subject.read(), readSectionTexts()]);
  let isLeaving = false;
  const next = openDocument({
    subject,
    opened,
    userId,
    words,
    common,
    canWrite: outer.canWrite,
    surrounding: {
      workbench: outer,
      referenceId,
      leave(selected = []) {
        if (isLeaving) return;
        isLeaving = true;
        void saveAndLeaveSection(outer, next, selected, sectionWords).then((hasLeft) => {
          isLeaving = hasLeft;
          if (hasLeft) onLeft();
        });
      },
    },
  });
  outer.view.set({ editingId: null });
  // The surrounding document is drawn at the width and in the language of the section.
  next.core.view.subscribe(() => {
    const { width, zoom, locale } = next.core.view.state;
    outer.view.set({ width, zoom, locale });
  });
  next.core.editor.select([next.core.editor.state.tree.rootId]);
  return next;
}

/** Leaves the section; returns false while some of it is not stored. */
async function saveAndLeaveSection(
  outer: WorkbenchCore,
  { core }: OpenDocument,
  selected: readonly string[],
  words: SectionWords,
): Promise<boolean> {
  core.view.set({ editingId: null });
  if (!(await saveOnLeaving(core))) {
    toast(words.notSaved, 'warn');
    return false;
  }
  await outer.sources.reload();
  const { left, right, narrow } = core.view.state;
  outer.view.set({ left, right, narrow });
  outer.editor.select(selected);
  outer.announce(words.left);
  return true;
}
