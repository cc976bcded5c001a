import { useCallback, useEffect, useRef, useState } from 'react';
import { useMe } from '../../api/me.ts';
import { explain, useCommon } from '../../texts/common.ts';
import type { EditorWords } from '../../texts/en/editor.ts';
import { toast } from '../../ui/toasts.tsx';
import { type OpenDocument, openDocument } from './open.ts';
import { sectionSubject } from './subjects.ts';
import { useEditorTexts } from './texts.ts';
import type { WorkbenchCore } from './workbench.ts';

/** The global section that is being edited in place, within the open document. */
export interface SectionEditing {
  readonly open: OpenDocument | null;
  /** Always the same function. */
  readonly enter: (referenceId: string) => void;
}

export function useSectionEditing(outer: WorkbenchCore | undefined): SectionEditing {
  const words = useEditorTexts();
  const common = useCommon();
  const { user } = useMe();
  const [open, setOpen] = useState<OpenDocument | null>(null);
  const isOpening = useRef(false);
  // When the surrounding document closes, so does the section opened in it.
  useEffect(() => () => setOpen(null), [outer]);
  useEffect(() => () => open?.close(), [open]);

  async function enter(referenceId: string) {
    const sectionId = outer?.editor.state.tree.nodes.get(referenceId)?.props?.specials?.sectionId;
    if (!outer || typeof sectionId !== 'string' || isOpening.current) return;
    isOpening.current = true;
    try {
      const subject = sectionSubject(outer.storeId, sectionId);
      const opened = await subject.read();
      let isLeaving = false;
      const next = openDocument({
        subject,
        opened,
        userId: user.id,
        words,
        common,
        canWrite: outer.canWrite,
        surrounding: {
          workbench: outer,
          referenceId,
          leave(selected = []) {
            if (isLeaving) return;
            isLeaving = true;
            void saveAndLeaveSection(outer, next, selected, words).then((hasLeft) => {
              isLeaving = hasLeft;
              if (hasLeft) setOpen(null);
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
      setOpen(next);
    } catch (error) {
      toast(explain(error, common), 'bad');
    } finally {
      isOpening.current = false;
    }
  }

  const latest = useRef(enter);
  latest.current = enter;
  const enterSection = useCallback((referenceId: string) => void latest.current(referenceId), []);
  return { open, enter: enterSection };
}

/** Leaves the section; returns false while some of it is not stored. */
async function saveAndLeaveSection(
  outer: WorkbenchCore,
  { core }: OpenDocument,
  selected: readonly string[],
  words: EditorWords,
): Promise<boolean> {
  core.view.set({ editingId: null });
  const [isSaved, areTranslated] = await Promise.all([core.queue.flush(), core.translations.flush()]);
  if (!isSaved || !areTranslated) {
    toast(words.sectionNotSaved, 'warn');
    return false;
  }
  await outer.sources.reload();
  const { left, right, narrow } = core.view.state;
  outer.view.set({ left, right, narrow });
  outer.editor.select(selected);
  outer.announce(words.sectionLeft);
  return true;
}
