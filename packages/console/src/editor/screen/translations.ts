import { isWaybillError } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Subject } from './subjects.ts';

interface Waiting {
  readonly locale: string;
  readonly entityId: string;
  readonly field: string;
  readonly text: string;
}

const restMs = 700;
/** Between tries of what did not get through. */
const retryMs = 5_000;
const mostAtOnce = 500;

/** Writes texts of other languages, as they are typed: the last of each, when typing rests. */
export class Translations {
  readonly #subject: Pick<Subject, 'id' | 'storeId'>;
  readonly #onFailed: (error: unknown) => void;
  readonly #waiting = new Map<string, Waiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<boolean> | null = null;

  constructor(subject: Pick<Subject, 'id' | 'storeId'>, onFailed: (error: unknown) => void) {
    this.#subject = subject;
    this.#onFailed = onFailed;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0 || this.#running !== null;
  }

  /** `entityId` as `TreeNode.entityId` has it; an empty text takes the translation away. */
  write(locale: string, entityId: string, field: string, text: string): void {
    // A node of a section is the section's wherever it stands; any other is this document's.
    const id = entityId.includes(':') ? entityId : `${this.#subject.id}:${entityId}`;
    this.#waiting.set(`${locale} ${id} ${field}`, { locale, entityId: id, field, text });
    this.#after(restMs);
  }

  /** Whether all that was typed is stored now. */
  async flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    if (this.#running) await this.#running;
    if (this.#waiting.size === 0) return true;
    this.#running = this.#send().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  #after(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), ms);
  }

  async #send(): Promise<boolean> {
    const { storeId } = this.#subject;
    const sent = [...this.#waiting].slice(0, mostAtOnce);
    const params = { path: { storeId } };
    const written = sent.filter(([, { text }]) => text !== '').map(([, { text, ...entry }]) => ({ ...entry, value: text }));
    const removed = sent.filter(([, { text }]) => text === '').map(([, { text: _, ...entry }]) => entry);
    try {
      if (written.length > 0) {
        await api.put('/api/stores/{storeId}/translations', {
          params,
          body: { entries: written.map((entry) => ({ ...entry, entityType: 'node' as const, source: 'human' })) },
        });
      }
      for (const query of removed) {
        await api.delete('/api/stores/{storeId}/translations', {
          params: { ...params, query: { ...query, entityType: 'node' } },
        });
      }
    } catch (error) {
      this.#onFailed(error);
      // What will not be taken is not sent for ever.
      if (isWaybillError(error) && error.status >= 400 && error.status < 500 && error.status !== 401) this.#done(sent);
      else this.#after(retryMs);
      return false;
    }
    this.#done(sent);
    void queries.invalidateQueries({ queryKey: ['stores', storeId, 'translations'] });
    return this.#waiting.size === 0;
  }

  /** What was typed since stays. */
  #done(sent: readonly (readonly [string, Waiting])[]): void {
    for (const [key, entry] of sent) if (this.#waiting.get(key) === entry) this.#waiting.delete(key);
    if (this.#waiting.size > 0) this.#after(0);
  }
}
