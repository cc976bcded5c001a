import type { Log, Peers } from '@waybill/kernel';
import type { Vocabulary } from '@waybill/page';
import { errors } from '../errors.ts';

/** How long an answer is used; added names are known after this time at the latest. */
const freshMs = 60_000;

/**
 * Reads the vocabulary that the content service serves, at most a minute old. The two services are deployed separately,
 * so names are checked against what is served.
 */
export class ServedVocabulary {
  readonly #peers: Peers;
  readonly #log: Log;
  #known: { vocabulary: Vocabulary; askedAt: number } | null = null;
  /** The request in flight, which all callers share. */
  #asking: Promise<Vocabulary> | null = null;

  constructor({ peers, log }: { peers: Peers; log: Log }) {
    this.#peers = peers;
    this.#log = log;
  }

  /**
   * Returns the vocabulary.
   * @throws block_vocabulary_unavailable
   */
  async read(): Promise<Vocabulary> {
    if (this.#known && Date.now() - this.#known.askedAt < freshMs) return this.#known.vocabulary;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    try {
      return await this.#asking;
    } catch (err) {
      this.#log.warn({ err }, 'the vocabulary could not be asked for');
      throw errors.block_vocabulary_unavailable({ headers: { 'retry-after': '5' } });
    }
  }

  async #ask(): Promise<Vocabulary> {
    const askedAt = Date.now();
    const reply = await this.#peers.call<{ vocabulary?: Partial<Vocabulary> }>(
      'content',
      'GET',
      '/internal/vocabulary',
    );
    const { elementTypes, widgets, writeKeys } = reply?.vocabulary ?? {};
    const isWhole = elementTypes && widgets && writeKeys?.style && writeKeys.config && writeKeys.specials;
    if (!isWhole) throw new Error('the answer is no vocabulary');
    const vocabulary = reply!.vocabulary as Vocabulary;
    this.#known = { vocabulary, askedAt };
    return vocabulary;
  }
}
