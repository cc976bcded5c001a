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
  /** The server is not there for now, or the network; it is tried again at `retryAt`. */
  | { readonly kind: 'offline'; readonly isOffline: boolean; readonly retryAt: number }
  /** It will not be taken until it is changed. */
  | { readonly kind: 'refused'; readonly code: string; readonly problems: readonly Problem[] }
  /** Somebody else changed the same: nothing is written until `resolve` says which is wanted. */
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] }
);

export interface SaveOptions {
  readonly editor: Editor;
  /** What the editor was opened with. */
  readonly saved: Stored;
  write(document: PageDocument, etag: string | null): Promise<Pick<Stored, 'etag'>>;
  read(): Promise<Stored>;
  /** What a failure of `write` or `read` means for what was typed. */
  failureOf(error: unknown): Failure;
  /** Where what is not stored yet is kept, so that a tab that dies loses nothing. */
  readonly recovery?: Recovery | undefined;
  readonly clock?: Clock;
  /** The name of the step that brings back what was kept. */
  readonly restoreLabel: string;
  /** Somebody else's changes came in, at these nodes. */
  onMerged?(ids: readonly string[]): void;
  /** The present browser does not keep unsaved changes: no room, or a private window. */
  onNotKept?(): void;
}

/** After the last change, and after the first at most. */
const restMs = 800;
const longestMs = 5_000;
/** Between tries that fail: twice as long each time. */
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
 * Stores what an editor changes: one write at a time, each bound to the state that it was made of, and what is typed
 * meanwhile with the next. A write that somebody else was faster than is merged with theirs. Nothing that was typed is
 * ever given up: what is not stored is in the editor and in the recovery.
 */
export class SaveQueue {
  readonly #options: SaveOptions;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #state: SaveState = { kind: 'clean' };
  #savedAt: number | undefined;
  /** What the server had last, as far as is known. */
  #stored: Stored;
  /** What differs from that: what the present write carries, and what came after it. */
  #sent: readonly Change[] = [];
  #pending: readonly Change[] = [];
  /** What was sent and not answered, the latest first: the server may have one of them. */
  #unanswered: PageDocument[] = [];
  /** What the server has instead, while a conflict waits for somebody. */
  #theirs: Stored | null = null;
  #firstAt: number | null = null;
  #failures = 0;
  /** In a row, whatever was tried in between: a session that is renewed and refused again is no way to go on. */
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

  /** The same object until something changes, as `useSyncExternalStore` asks. */
  get state(): SaveState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Stores at once; whether all that was typed is stored then. */
  async flush(): Promise<boolean> {
    await this.#running;
    while (this.#isDirty && !this.#isHeld) {
      await this.#run();
      if (!this.#isGoing) return false;
    }
    return !this.#isDirty;
  }

  /** Tries now: whoever was signed out is signed in again, or the network is back. */
  retry(): void {
    this.#failures = 0;
    // A write whose answer is being told of is no longer the one to wait for.
    void Promise.resolve(this.#running).then(() => this.#run());
  }

  /** Ends a conflict: which side is wanted, by the conflicts' keys; what is not named stays as it is shown. */
  resolve(choices: Readonly<Record<string, Side>>): void {
    const theirs = this.#theirs;
    this.#theirs = null;
    if (theirs) this.#merge(theirs, choices);
  }

  /**
   * Puts back what was kept when a tab died, as if it had been typed now: what was stored by others since is merged, or
   * asked about, by what `loadMerge` reads before. Gives the reason where it cannot be put back, and changes nothing then.
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

  /** Ends the queue; what is not stored stays in the recovery. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#unsubscribe();
  }

  get #isDirty(): boolean {
    return this.#pending.length > 0 || this.#sent.length > 0;
  }

  /** A write makes no sense until somebody says which side is wanted. */
  get #isHeld(): boolean {
    return this.#isClosed || this.#theirs !== null;
  }

  /** Nothing is in the way. */
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
    // Another text may be taken; whoever is signed out, offline or asked something is no further by it.
    if (this.#isGoing || this.#state.kind === 'refused') this.#settle();
  }

  /** Says how it stands, and stores in a moment what is not stored. */
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

  /** A write, unless one is under way or there is nothing to write. Never throws. */
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
    // As the server keeps it, so that what it gives back later is what was sent.
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

  /** The server has what was sent. */
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

  /** Somebody was faster than what was sent. It may have been this queue itself, whose answer was lost. */
  #onConflict(theirs: Stored, sent: PageDocument): void {
    const stored = sorted(this.#rooted(theirs).document);
    const own = [sent, ...this.#unanswered].find((each) => isEqual(sorted(each), stored));
    if (own === sent) this.#arrived({ document: sent, etag: theirs.etag });
    else if (own) this.#rebase({ document: own, etag: theirs.etag });
    else this.#merge(theirs);
  }

  /** Puts theirs and what is in the editor together, to be stored next; asks first, where both changed the same. */
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

  /** What is in the editor is a change of this, from now on. */
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

  /** With the root that the editor has: its id is the editor's for as long as it is open. */
  #rooted({ document, etag }: Stored): Stored {
    return { document: withRoot(document, this.#options.editor.state.tree.rootId), etag };
  }

  /** What a promise gives; a failure where it takes too long, as on a line that is dead and does not say so. */
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
