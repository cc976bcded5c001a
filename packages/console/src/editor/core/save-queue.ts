import { normaliseDocument, type PageDocument, type Problem } from '@waybill/page';
import { applied, type Change, joined } from './changes.ts';
import { becomeDocument } from './commands.ts';
import type { Editor } from './editor.ts';
import type { Conflict, Side } from './merge.ts';
import { loadMerge, merge } from './merging.ts';
import { isEqual, withRoot } from './same.ts';
import type { Clock, Failure, Recovery, Stored, UnsavedDocument } from './save-port.ts';
import { documentOf, treeOf } from './tree.ts';

export type SaveState = { readonly savedAt?: number } & (
  | { readonly kind: 'clean' | 'dirty' | 'saving' | 'signed-out' }
  /** The server or the network is unavailable; the next attempt is at `retryAt`. */
  | { readonly kind: 'offline'; readonly isOffline: boolean; readonly retryAt: number }
  /** The server will not accept it until it is changed. */
  | { readonly kind: 'refused'; readonly code: string; readonly problems: readonly Problem[] }
  /** Another editor changed the same parts: nothing is written until `resolve` chooses a side. */
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] }
);

export interface SaveOptions {
  readonly editor: Editor;
  /** The document that the editor was opened with. */
  readonly saved: Stored;
  write(document: PageDocument, etag: string | null): Promise<Pick<Stored, 'etag'>>;
  read(): Promise<Stored>;
  /** Classifies a failure of `write` or `read`. */
  failureOf(error: unknown): Failure;
  /** Storage for unsaved changes, so that a crashed tab loses nothing. */
  readonly recovery?: Recovery | undefined;
  readonly clock?: Clock;
  /** The name of the step that restores kept changes. */
  readonly restoreLabel: string;
  /** Called when changes of another editor came in at these nodes. */
  onMerged?(ids: readonly string[]): void;
  /** Called if this browser cannot keep unsaved changes: it is full, or a private window. */
  onNotKept?(): void;
}

/** Delay after the last change, and maximum delay after the first one. */
const restMs = 800;
const longestMs = 5_000;
/** Delay between failed attempts, doubled each time. */
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
const longestWriteMs = 60_000;
const mostUnanswered = 8;
const mostSignOuts = 3;

const realClock: Clock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Stores an editor's changes. There is one write at a time, bound to the state it is based on; changes made meanwhile
 * go with the next write. If another editor was faster, the changes are merged. No typed change is ever discarded:
 * until it is stored, it is in the editor and in the recovery.
 */
export class SaveQueue {
  readonly #options: SaveOptions;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #state: SaveState = { kind: 'clean' };
  #savedAt: number | undefined;
  /** The last known document on the server. */
  #stored: Stored;
  /** The differences from it: those in the current write, and those made since. */
  #sent: readonly Change[] = [];
  #pending: readonly Change[] = [];
  /** Documents that were sent without an answer, latest first; the server may have stored one of them. */
  #unanswered: PageDocument[] = [];
  /** The server's document while a conflict waits for a decision. */
  #theirs: Stored | null = null;
  #firstAt: number | null = null;
  #failures = 0;
  /** Refusals in a row, whatever was tried in between. A renewed session that is refused again is a reason to stop. */
  #signOuts = 0;
  #running: Promise<void> | null = null;
  #isClosed = false;
  #cancelTimer = () => {};

  constructor(options: SaveOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#stored = this.#rooted(options.saved);
    this.#unsubscribe = options.editor.subscribe((_, changes) => {
      if (changes.length > 0) this.#changed(changes);
    });
  }

  /** The same object until something changes, as `useSyncExternalStore` requires. */
  get state(): SaveState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Stores at once; returns whether everything is stored afterwards. */
  async flush(): Promise<boolean> {
    await this.#running;
    while (this.#isDirty && !this.#isHeld) {
      await this.#run();
      if (!this.#isGoing) return false;
    }
    return !this.#isDirty;
  }

  /** Retries now, because the user has signed in again or the network is back. */
  retry(): void {
    this.#failures = 0;
    // A finished write that is still notifying its listeners would swallow this run, so it is awaited first.
    void Promise.resolve(this.#running).then(() => this.#run());
  }

  /** Ends a conflict by choosing sides by conflict key; conflicts that are not named keep the side shown. */
  resolve(choices: Readonly<Record<string, Side>>): void {
    const theirs = this.#theirs;
    this.#theirs = null;
    if (theirs) this.#merge(theirs, choices);
  }

  /**
   * Restores changes kept by a crashed tab as if they had been typed now. Changes stored by others since are merged, or
   * lead to a conflict; the caller loads `loadMerge` first. If restoring is refused, returns the reason and changes
   * nothing.
   */
  restore({ base, changes, etag }: UnsavedDocument): Problem | undefined {
    const { editor, restoreLabel } = this.#options;
    const server = this.#stored;
    const mine = documentOf(applied(treeOf(base), changes));
    const problem = editor.do(restoreLabel, becomeDocument(editor.state.tree, mine));
    if (problem) return problem;
    this.#rebase({ document: base, etag });
    if (etag !== server.etag) this.#merge(server);
    return undefined;
  }

  /** Ends the queue; unsaved changes stay in the recovery. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#unsubscribe();
  }

  get #isDirty(): boolean {
    return this.#pending.length > 0 || this.#sent.length > 0;
  }

  /** Whether writing must wait, because the queue is closed or a side must be chosen first. */
  get #isHeld(): boolean {
    return this.#isClosed || this.#theirs !== null;
  }

  /** Whether nothing prevents saving. */
  get #isGoing(): boolean {
    return ['clean', 'dirty', 'saving'].includes(this.#state.kind);
  }

  #set(state: SaveState): void {
    this.#state = this.#savedAt === undefined ? state : { ...state, savedAt: this.#savedAt };
    for (const listener of [...this.#listeners]) listener();
  }

  #changed(changes: readonly Change[]): void {
    this.#pending = joined(this.#pending, changes);
    this.#keep();
    this.#firstAt ??= this.#clock.now();
    if (this.#running) return;
    // A changed text may be accepted after a refusal; it does not help against a sign-out, a lost network or a
    // conflict.
    if (this.#isGoing || this.#state.kind === 'refused') this.#settle();
  }

  /** Updates the state and schedules a write if there are unsaved changes. */
  #settle(): void {
    if (!this.#isDirty) {
      this.#cancelTimer();
      this.#firstAt = null;
      this.#set({ kind: 'clean' });
      return;
    }
    this.#set({ kind: 'dirty' });
    const now = this.#clock.now();
    this.#runAfter(Math.min(restMs, Math.max(0, (this.#firstAt ?? now) + longestMs - now)));
  }

  #runAfter(ms: number): void {
    this.#cancelTimer();
    if (!this.#isClosed) this.#cancelTimer = this.#clock.after(ms, () => void this.#run());
  }

  /** Starts a write, unless one is running or there is nothing to write. Never throws. */
  #run(): Promise<void> {
    if (this.#running) return this.#running;
    if (!this.#isDirty || this.#isHeld) return Promise.resolve();
    this.#cancelTimer();
    this.#running = this.#write().finally(() => {
      this.#running = null;
      if (this.#isGoing) this.#settle();
    });
    return this.#running;
  }

  async #write(): Promise<void> {
    const { editor, write, read } = this.#options;
    // In the server's normal form, so that a later read returns exactly this document.
    const document = normaliseDocument(editor.document);
    this.#sent = joined(this.#sent, this.#pending);
    this.#pending = [];
    this.#firstAt = null;
    this.#set({ kind: 'saving' });
    try {
      const { etag } = await this.#inTime(write(document, this.#stored.etag));
      this.#arrived({ document, etag });
    } catch (error) {
      const failure = this.#options.failureOf(error);
      if (failure.is !== 'changed') {
        if (failure.is === 'away')
          this.#unanswered = [document, ...this.#unanswered].slice(0, mostUnanswered);
        this.#failed(failure);
        return;
      }
      try {
        await loadMerge();
        this.#onConflict(await this.#inTime(read()), document);
      } catch (unread) {
        this.#failed(this.#options.failureOf(unread));
      }
    }
  }

  /** Handles a successful write. */
  #arrived(stored: Stored): void {
    this.#stored = stored;
    this.#sent = [];
    this.#unanswered = [];
    this.#failures = 0;
    this.#signOuts = 0;
    this.#savedAt = this.#clock.now();
    this.#keep();
  }

  #failed(failure: Failure): void {
    this.#pending = joined(this.#sent, this.#pending);
    this.#sent = [];
    this.#failures++;
    if (failure.is === 'signed-out' && ++this.#signOuts <= mostSignOuts) this.#set({ kind: 'signed-out' });
    else if (failure.is === 'refused') {
      this.#set({ kind: 'refused', code: failure.code, problems: failure.problems });
    } else {
      const { isOffline = false, retryAfterMs = 0 } = failure.is === 'away' ? failure : {};
      const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(10, this.#failures - 1));
      const ms = Math.max(waitMs, retryAfterMs);
      this.#set({ kind: 'offline', isOffline, retryAt: this.#clock.now() + ms });
      this.#runAfter(ms);
    }
  }

  /** Handles a write that found another document. That may be one of this queue's own, whose answer was lost. */
  #onConflict(theirs: Stored, sent: PageDocument): void {
    const stored = sorted(this.#rooted(theirs).document);
    const own = [sent, ...this.#unanswered].find((each) => isEqual(sorted(each), stored));
    if (own === sent) this.#arrived({ document: sent, etag: theirs.etag });
    else if (own) this.#rebase({ document: own, etag: theirs.etag });
    else this.#merge(theirs);
  }

  /** Merges the server's document with the editor's, to be stored next; asks first if both changed the same parts. */
  #merge(theirs: Stored, choices?: Readonly<Record<string, Side>>): void {
    const { editor, onMerged } = this.#options;
    const merged = merge(editor.vocabulary, this.#stored.document, editor.document, theirs.document, choices);
    if (merged.conflicts.length > 0 && !choices) {
      this.#theirs = theirs;
      this.#cancelTimer();
      this.#set({ kind: 'conflict', conflicts: merged.conflicts });
      return;
    }
    this.#failures = 0;
    editor.adopt(becomeDocument(editor.state.tree, merged.document));
    this.#rebase(theirs);
    if (merged.takenFromTheirs.length > 0) onMerged?.(merged.takenFromTheirs);
  }

  /** Makes a stored document the new base of the editor's changes. */
  #rebase(stored: Stored): void {
    this.#stored = this.#rooted(stored);
    this.#sent = [];
    this.#pending = becomeDocument(treeOf(this.#stored.document), this.#options.editor.document);
    this.#unanswered = [];
    this.#keep();
    this.#settle();
  }

  #keep(): void {
    const { recovery, onNotKept } = this.#options;
    const { document: base, etag } = this.#stored;
    const changes = joined(this.#sent, this.#pending);
    const kept = { base, etag, changes, at: this.#clock.now() };
    const done = changes.length > 0 ? recovery?.keep(kept) : recovery?.forget();
    done?.catch(() => onNotKept?.());
  }

  /** Returns a stored document with the root id of the editor, which stays the same as long as the editor is open. */
  #rooted({ document, etag }: Stored): Stored {
    return { document: withRoot(document, this.#options.editor.state.tree.rootId), etag };
  }

  /** Resolves with the promise's result; fails if it takes too long, as on a connection that died silently. */
  #inTime<Value>(promise: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(longestWriteMs, () => reject(new Error('There is no answer.')));
      promise.finally(cancel).then(resolve, reject);
    });
  }
}

const sorted = ({ rootId, nodes }: PageDocument) => ({
  rootId,
  nodes: nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
});
