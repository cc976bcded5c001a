import type { EditorWords } from '../../texts/en/editor.ts';
import type { EditorPanelWords } from '../../texts/en/editor-panels.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';
import { useWorkbench, type Workbench } from './workbench.ts';

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

const panelWorkbenches = new WeakMap<Workbench, PanelWorkbench & { readonly panelWords: EditorPanelWords }>();

/**
 * Returns the workbench with the texts of panels and dialogs; suspends until they are loaded. All components of a
 * workbench get the same object, because merging some hundred texts for each of fifty fields would be felt.
 */
export function usePanelWorkbench(): PanelWorkbench {
  const workbench = useWorkbench();
  const panelWords = useTexts(texts);
  const known = panelWorkbenches.get(workbench);
  if (known?.panelWords === panelWords) return known;
  const merged = { ...workbench, words: { ...workbench.words, ...panelWords }, panelWords };
  panelWorkbenches.set(workbench, merged);
  return merged;
}
