import { normaliseDocument, type PageDocument, type Problem } from '@waybill/page';
import { applyToTree, type Change, combineChanges } from './changes.ts';
import { replaceDocument } from './commands.ts';
import type { Editor } from './editor.ts';
import { loadMerge, merge } from './lazy-merge.ts';
import type { Conflict, Side } from './merge.ts';
import { isEqual, withRoot } from './same.ts';
import type { Clock, Failure, Recovery, Stored, UnsavedDocument } from './save-port.ts';
import { createTree, toDocument } from './tree.ts';

export type SaveState = { readonly savedAt?: number } & (
  | { readonly kind: 'clean' | 'dirty' | 'saving' | 'signed-out' }
  /** The server or the network is unavailable; the next attempt is at `retryAt`. */
  | { readonly kind: 'offline'; readonly isOffline: boolean; readonly retryAt: number }
  /** The server will not accept it until it is changed. */
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly problems: readonly Problem[];
      /** The refused document, whose nodes the problems count. */
      readonly document: PageDocument;
    }
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
  classifyFailure(error: unknown): Failure;
  /** Storage for unsaved changes, so that a crashed tab loses nothing. */
  readonly recovery?: Recovery | undefined;
  readonly clock?: Clock;
  /** The name of the step that restores kept changes. */
  readonly restoreLabel: string;
  /** Called when changes of another editor came in at these nodes. */
  onMerged?(ids: readonly string[]): void;
  /** Called if this browser cannot keep unsaved changes: it is full, or a private window. */
  onRecoveryFailed?(): void;
}

/** Delay after the last change, and maximum delay after the first one. */
const debounceMs = 800;
const maxDelayMs = 5_000;
/** Delay between failed attempts, doubled each time. */
const firstRetryMs = 1_000;
const maxRetryMs = 60_000;
const writeTimeoutMs = 60_000;
const maxUnanswered = 8;
const maxSignOuts = 3;

const systemClock: Clock = {
  now: () => Date.now(),
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms);
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
    this.#clock = options.clock ?? systemClock;
    this.#stored = this.#withEditorRoot(options.saved);
    this.#unsubscribe = options.editor.subscribe((_, changes) => {
      if (changes.length > 0) this.#onChanges(changes);
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
    while (this.#isDirty && !this.#isBlocked) {
      await this.#run();
      if (!this.#canSave) return false;
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
    const mine = toDocument(applyToTree(createTree(base), changes));
    const problem = editor.apply(restoreLabel, replaceDocument(editor.state.tree, mine));
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
  get #isBlocked(): boolean {
    return this.#isClosed || this.#theirs !== null;
  }

  /** Whether nothing prevents saving. */
  get #canSave(): boolean {
    return ['clean', 'dirty', 'saving'].includes(this.#state.kind);
  }

  #set(state: SaveState): void {
    this.#state = this.#savedAt === undefined ? state : { ...state, savedAt: this.#savedAt };
    for (const listener of [...this.#listeners]) listener();
  }

  #onChanges(changes: readonly Change[]): void {
    this.#pending = combineChanges(this.#pending, changes);
    this.#storeRecovery();
    this.#firstAt ??= this.#clock.now();
    if (this.#running) return;
    // A changed text may be accepted after a refusal; it does not help against a sign-out, a lost network or a
    // conflict.
    if (this.#canSave || this.#state.kind === 'refused') this.#scheduleSave();
  }

  /** Updates the state and schedules a write if there are unsaved changes. */
  #scheduleSave(): void {
    if (!this.#isDirty) {
      this.#cancelTimer();
      this.#firstAt = null;
      this.#set({ kind: 'clean' });
      return;
    }
    this.#set({ kind: 'dirty' });
    const now = this.#clock.now();
    this.#runAfter(Math.min(debounceMs, Math.max(0, (this.#firstAt ?? now) + maxDelayMs - now)));
  }

  #runAfter(ms: number): void {
    this.#cancelTimer();
    if (!this.#isClosed) this.#cancelTimer = this.#clock.schedule(ms, () => void this.#run());
  }

  /** Starts a write, unless one is running or there is nothing to write. Never throws. */
  #run(): Promise<void> {
    if (this.#running) return this.#running;
    if (!this.#isDirty || this.#isBlocked) return Promise.resolve();
    this.#cancelTimer();
    this.#running = this.#write().finally(() => {
      this.#running = null;
      if (this.#canSave) this.#scheduleSave();
    });
    return this.#running;
  }

  async #write(): Promise<void> {
    const { editor, write, read } = this.#options;
    // In the server's normal form, so that a later read returns exactly this document.
    const document = normaliseDocument(editor.document);
    this.#sent = combineChanges(this.#sent, this.#pending);
    this.#pending = [];
    this.#firstAt = null;
    this.#set({ kind: 'saving' });
    try {
      const { etag } = await this.#withTimeout(write(document, this.#stored.etag));
      this.#onSaved({ document, etag });
    } catch (error) {
      const failure = this.#options.classifyFailure(error);
      if (failure.kind !== 'changed') {
        if (failure.kind === 'away')
          this.#unanswered = [document, ...this.#unanswered].slice(0, maxUnanswered);
        this.#onFailure(failure, document);
        return;
      }
      try {
        await loadMerge();
        this.#onConflict(await this.#withTimeout(read()), document);
      } catch (readError) {
        this.#onFailure(this.#options.classifyFailure(readError), document);
      }
    }
  }

  /** Handles a successful write. */
  #onSaved(stored: Stored): void {
    this.#stored = stored;
    this.#sent = [];
    this.#unanswered = [];
    this.#failures = 0;
    this.#signOuts = 0;
    this.#savedAt = this.#clock.now();
    this.#storeRecovery();
  }

  #onFailure(failure: Failure, document: PageDocument): void {
    this.#pending = combineChanges(this.#sent, this.#pending);
    this.#sent = [];
    this.#failures++;
    if (failure.kind === 'signed-out' && ++this.#signOuts <= maxSignOuts) this.#set({ kind: 'signed-out' });
    else if (failure.kind === 'refused') {
      this.#set({ kind: 'refused', code: failure.code, problems: failure.problems, document });
    } else {
      const { isOffline = false, retryAfterMs = 0 } = failure.kind === 'away' ? failure : {};
      const waitMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(10, this.#failures - 1));
      const ms = Math.max(waitMs, retryAfterMs);
      this.#set({ kind: 'offline', isOffline, retryAt: this.#clock.now() + ms });
      this.#runAfter(ms);
    }
  }

  /** Handles a write that found another document. That may be one of this queue's own, whose answer was lost. */
  #onConflict(theirs: Stored, sent: PageDocument): void {
    const stored = sortNodes(this.#withEditorRoot(theirs).document);
    const storedByUs = [sent, ...this.#unanswered].find((each) => isEqual(sortNodes(each), stored));
    if (storedByUs === sent) this.#onSaved({ document: sent, etag: theirs.etag });
    else if (storedByUs) this.#rebase({ document: storedByUs, etag: theirs.etag });
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
    editor.applyRemote(replaceDocument(editor.state.tree, merged.document));
    this.#rebase(theirs);
    if (merged.changedFromMine.length > 0) onMerged?.(merged.changedFromMine);
  }

  /** Makes a stored document the new base of the editor's changes. */
  #rebase(stored: Stored): void {
    this.#stored = this.#withEditorRoot(stored);
    this.#sent = [];
    this.#pending = replaceDocument(createTree(this.#stored.document), this.#options.editor.document);
    this.#unanswered = [];
    this.#storeRecovery();
    this.#scheduleSave();
  }

  #storeRecovery(): void {
    const { recovery, onRecoveryFailed } = this.#options;
    const { document: base, etag } = this.#stored;
    const changes = combineChanges(this.#sent, this.#pending);
    const unsaved = { base, etag, changes, at: this.#clock.now() };
    const result = changes.length > 0 ? recovery?.store(unsaved) : recovery?.remove();
    result?.catch(() => onRecoveryFailed?.());
  }

  /** Returns a stored document with the root id of the editor, which stays the same as long as the editor is open. */
  #withEditorRoot({ document, etag }: Stored): Stored {
    return { document: withRoot(document, this.#options.editor.state.tree.rootId), etag };
  }

  /** Resolves with the promise's result; fails if it takes too long, as on a connection that died silently. */
  #withTimeout<Value>(promise: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.schedule(writeTimeoutMs, () => reject(new Error('There is no answer.')));
      promise.finally(cancel).then(resolve, reject);
    });
  }
}

const sortNodes = ({ rootId, nodes }: PageDocument) => ({
  rootId,
  nodes: nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
});
