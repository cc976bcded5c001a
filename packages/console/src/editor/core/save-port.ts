import type { PageDocument, Problem } from '@waybill/page';
import type { Change } from './changes.ts';

/** A document on the server, with the tag that the next write must match; a null tag means that nothing is stored. */
export interface Stored {
  readonly document: PageDocument;
  readonly etag: string | null;
}

/** A clock in milliseconds with a timer; `schedule` returns the function that cancels it. */
export interface Clock {
  now(): number;
  schedule(ms: number, callback: () => void): () => void;
}

/** The consequence of a failed write for the typed changes. */
export type Failure =
  /** Another editor was faster: the stored document is a different one. */
  | { readonly kind: 'changed' }
  /** The server will never accept it in this form. */
  | { readonly kind: 'refused'; readonly code: string; readonly problems: readonly Problem[] }
  | { readonly kind: 'signed-out' }
  /** It may be accepted later. It may also have been accepted, and the answer lost. */
  | { readonly kind: 'away'; readonly isOffline: boolean; readonly retryAfterMs?: number };

/** Changes that are not stored yet, together with the server's document that they are based on. */
export interface UnsavedDocument {
  readonly base: PageDocument;
  readonly etag: string | null;
  readonly changes: readonly Change[];
  /** Time of the last change: milliseconds since 1970. */
  readonly at: number;
}

/** Keeps one tab's unsaved changes of one document. */
export interface Recovery {
  store(unsaved: UnsavedDocument): Promise<void>;
  remove(): Promise<void>;
}
