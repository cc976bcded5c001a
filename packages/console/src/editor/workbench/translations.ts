import { isWaybillError } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Subject } from './subjects.ts';

interface PendingTranslation {
  readonly locale: string;
  readonly entityId: string;
  readonly field: string;
  readonly text: string;
}

const debounceMs = 700;
/** Delay between attempts after a failure. */
const retryMs = 5_000;
const batchLimit = 500;

/** Writes translations while they are typed: the latest text of each field, once typing rests. */
export class Translations {
  readonly #subject: Pick<Subject, 'id' | 'storeId'>;
  readonly #onFailed: (error: unknown) => void;
  readonly #pending = new Map<string, PendingTranslation>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<boolean> | null = null;

  constructor(subject: Pick<Subject, 'id' | 'storeId'>, onFailed: (error: unknown) => void) {
    this.#subject = subject;
    this.#onFailed = onFailed;
  }

  get hasPending(): boolean {
    return this.#pending.size > 0 || this.#running !== null;
  }

  /** `entityId` is a `TreeNode.entityId`; an empty text removes the translation. */
  write(locale: string, entityId: string, field: string, text: string): void {
    // A section's node belongs to that section wherever it is shown; any other node belongs to this document.
    const id = entityId.includes(':') ? entityId : `${this.#subject.id}:${entityId}`;
    this.#pending.set(`${locale} ${id} ${field}`, { locale, entityId: id, field, text });
    this.#schedule(debounceMs);
  }

  /** Stores everything at once; returns whether that succeeded. */
  async flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    if (this.#running) await this.#running;
    if (this.#pending.size === 0) return true;
    this.#running = this.#send().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), ms);
  }

  async #send(): Promise<boolean> {
    const { storeId } = this.#subject;
    const sent = [...this.#pending].slice(0, batchLimit);
    const params = { path: { storeId } };
    const written = sent
      .filter(([, { text }]) => text !== '')
      .map(([, { text, ...entry }]) => ({ ...entry, value: text }));
    const removed = sent.filter(([, { text }]) => text === '').map(([, { text: _, ...entry }]) => entry);
    try {
      if (written.length > 0) {
        await api.put('/api/stores/{storeId}/translations', {
          params,
          body: {
            entries: written.map((entry) => ({ ...entry, entityType: 'node' as const, source: 'human' })),
          },
        });
      }
      for (const query of removed) {
        await api.delete('/api/stores/{storeId}/translations', {
          params: { ...params, query: { ...query, entityType: 'node' } },
        });
      }
    } catch (error) {
      this.#onFailed(error);
      // A text that the server refuses is not sent again.
      if (isWaybillError(error) && error.status >= 400 && error.status < 500 && error.status !== 401)
        this.#removeSent(sent);
      else this.#schedule(retryMs);
      return false;
    }
    this.#removeSent(sent);
    void queries.invalidateQueries({ queryKey: ['stores', storeId, 'translations'] });
    return this.#pending.size === 0;
  }

  /** Removes texts that were sent, unless they have been typed again since. */
  #removeSent(sent: readonly (readonly [string, PendingTranslation])[]): void {
    for (const [key, entry] of sent) if (this.#pending.get(key) === entry) this.#pending.delete(key);
    if (this.#pending.size > 0) this.#schedule(0);
  }
}
