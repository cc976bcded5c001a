import { type Answer, rawJson } from '@waybill/kernel';
import type { Warning } from './warnings.ts';

/** A document as an editor gets it, and which save it is. */
export interface SavedDocument {
  /** JSON. */
  document: string;
  revision: number;
  savedAt: Date | null;
  savedBy: string | null;
}

/** `{ document, draft }`, with `warnings` where there are some to tell of: `decisions.md 13.1`. */
export function documentAnswer(saved: SavedDocument, warnings?: readonly Warning[]): Answer {
  const { document, ...draft } = saved;
  const more = warnings ? `,"warnings":${JSON.stringify(warnings)}` : '';
  return rawJson(`{"document":${document},"draft":${JSON.stringify(draft)}${more}}`);
}
