import type { Workbench } from '../screen/workbench.ts';
import type { ClipboardWords } from './clipboard.ts';

type Deed = 'onCopy' | 'onCut' | 'onPaste';

let loaded: typeof import('./clipboard.ts') | undefined;

/** Reads what copies and pastes, once the page is shown: it is there before it is asked for. */
export async function loadClipboard(): Promise<void> {
  loaded ??= await import('./clipboard.ts');
}

/** Copies, cuts or pastes elements; a clipboard can only be read and written during its event. */
export function withClipboard(
  deed: Deed,
  workbench: Workbench,
  event: ClipboardEvent,
  words: ClipboardWords,
): void {
  loaded?.[deed](workbench, event, words);
}
