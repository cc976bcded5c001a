import { type Answer, rawJson } from '@waybill/kernel';
import type { Warning } from './warnings.ts';

/** A document as an editor gets it, and the number of its save. */
export interface SavedDocument {
  /** As JSON. */
  document: string;
  revision: number;
  savedAt: Date | null;
  savedBy: string | null;
}

/** Answers with `{ document, draft }`, and with `warnings` if there are any: `decisions.md 13.1`. */
export function documentAnswer(saved: SavedDocument, warnings?: readonly Warning[]): Answer {
  const { document, ...draft } = saved;
  const more = warnings ? `,"warnings":${JSON.stringify(warnings)}` : '';
  return rawJson(`{"document":${document},"draft":${JSON.stringify(draft)}${more}}`);
}
