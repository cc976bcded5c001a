import { useCallback, useEffect, useRef, useState } from 'react';
import { useMe } from '../../api/me.ts';
import { explain, useCommon } from '../../texts/common.ts';
import { toast } from '../../ui/toasts.tsx';
import { useEditorTexts } from '../workbench/texts.ts';
import type { WorkbenchCore } from '../workbench/workbench.ts';
import type { OpenDocument } from './open.ts';

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
      const { openSection } = await import('./open-section.ts');
      const place = { outer, referenceId, sectionId };
      setOpen(await openSection(place, { userId: user.id, words, common }, () => setOpen(null)));
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
