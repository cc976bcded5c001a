import type { PageDocument, Problem } from '@waybill/page';
import type { Change } from './changes.ts';

/** A document as the server has it, with the tag that a write is bound to; null: nothing is stored. */
export interface Stored {
  readonly document: PageDocument;
  readonly etag: string | null;
}

/** Milliseconds of a clock, and something to be done at a time of it; what it gives takes that back. */
export interface Clock {
  now(): number;
  after(ms: number, act: () => void): () => void;
}

/** What a write that did not succeed means for what was typed. */
export type Failure =
  /** Somebody else was faster: the stored document is another one. */
  | { readonly is: 'changed' }
  /** It will not be taken as it is, whoever sends it again. */
  | { readonly is: 'refused'; readonly code: string; readonly problems: readonly Problem[] }
  | { readonly is: 'signed-out' }
  /** It may be taken later. It may also have been taken, and the answer lost. */
  | { readonly is: 'away'; readonly isOffline: boolean; readonly retryAfterMs?: number };

/** What was not stored yet: what a document became, from what the server had. */
export interface UnsavedDocument {
  readonly base: PageDocument;
  readonly etag: string | null;
  readonly changes: readonly Change[];
  /** When the last of it was typed: milliseconds since 1970. */
  readonly at: number;
}

/** Keeps what one tab has not stored of one document. */
export interface Recovery {
  keep(kept: UnsavedDocument): Promise<void>;
  forget(): Promise<void>;
}
