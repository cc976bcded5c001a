import type { Workbench } from '../workbench/workbench.ts';
import type { ClipboardWords } from './clipboard.ts';

type ClipboardHandler = 'onCopy' | 'onCut' | 'onPaste';

let loaded: typeof import('./clipboard.ts') | undefined;

/** Loads the clipboard code once the page is shown, so that it is ready when needed. */
export async function loadClipboard(): Promise<void> {
  loaded ??= await import('./clipboard.ts');
}

/** Copies, cuts or pastes elements. The clipboard is accessible only during its event. */
export function handleClipboardEvent(
  handlerName: ClipboardHandler,
  workbench: Workbench,
  event: ClipboardEvent,
  words: ClipboardWords,
): void {
  loaded?.[handlerName](workbench, event, words);
}
