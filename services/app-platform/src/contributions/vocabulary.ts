import type { Log, Peers } from '@waybill/kernel';
import type { Vocabulary } from '@waybill/page';
import { errors } from '../errors.ts';

/** How long an answer is used; added names are known after this time at the latest. */
const maxAgeMs = 60_000;

/**
 * Reads the vocabulary that the content service serves, at most a minute old. The two services are deployed separately,
 * so names are checked against what is served.
 */
export class ServedVocabulary {
  readonly #peers: Peers;
  readonly #log: Log;
  #cached: { vocabulary: Vocabulary; requestedAt: number } | null = null;
  /** The request in flight, which all callers share. */
  #request: Promise<Vocabulary> | null = null;

  constructor({ peers, log }: { peers: Peers; log: Log }) {
    this.#peers = peers;
    this.#log = log;
  }

  /**
   * Returns the vocabulary.
   * @throws block_vocabulary_unavailable
   */
  async read(): Promise<Vocabulary> {
    if (this.#cached && Date.now() - this.#cached.requestedAt < maxAgeMs) return this.#cached.vocabulary;
    this.#request ??= this.#fetch().finally(() => {
      this.#request = null;
    });
    try {
      return await this.#request;
    } catch (err) {
      this.#log.warn({ err }, 'the vocabulary could not be fetched');
      throw errors.block_vocabulary_unavailable({ headers: { 'retry-after': '5' } });
    }
  }

  async #fetch(): Promise<Vocabulary> {
    const requestedAt = Date.now();
    const reply = await this.#peers.call<{ vocabulary?: Partial<Vocabulary> }>(
      'content',
      'GET',
      '/internal/vocabulary',
    );
    const { elementTypes, widgets, writeKeys } = reply?.vocabulary ?? {};
    const isComplete = elementTypes && widgets && writeKeys?.style && writeKeys.config && writeKeys.specials;
    if (!isComplete) throw new Error('the answer is no vocabulary');
    const vocabulary = reply!.vocabulary as Vocabulary;
    this.#cached = { vocabulary, requestedAt };
    return vocabulary;
  }
}
