import type { WorkbenchCore } from '../workbench/workbench.ts';

/** A save that takes longer is shown on leaving. */
const slowMs = 300;

/** Stores the changes of a document that is being left; returns whether that worked. The view shows a slow save. */
export async function saveOnLeaving({ queue, translations, view }: WorkbenchCore): Promise<boolean> {
  const timer = setTimeout(() => view.set({ isLeavingSlow: true }), slowMs);
  const [isSaved, areTranslated] = await Promise.all([queue.flush(), translations.flush()]);
  clearTimeout(timer);
  view.set({ isLeavingSlow: false });
  return isSaved && areTranslated;
}
