import { useMemo } from 'react';
import type { EditorWords } from '../../texts/en/editor.ts';
import type { EditorPanelWords } from '../../texts/en/editor-panels.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';
import { useWorkbench, type Workbench } from '../screen/workbench.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/editor-panels.ts'),
  de: () => import('../../texts/de/editor-panels.ts'),
});

/** The texts of the editor's screen together with those of its panels and dialogs. */
export type PanelWords = EditorWords & EditorPanelWords;

/** The workbench of a panel or dialog: its words include those that load with the panels. */
export interface PanelWorkbench extends Workbench {
  readonly words: PanelWords;
}

/** Returns the workbench with the texts of panels and dialogs; suspends until they are loaded. */
export function usePanelWorkbench(): PanelWorkbench {
  const workbench = useWorkbench();
  const words = useTexts(texts);
  return useMemo(() => ({ ...workbench, words: { ...workbench.words, ...words } }), [workbench, words]);
}
