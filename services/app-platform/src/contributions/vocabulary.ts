import type { Vocabulary } from '@waybill/page';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';

/** How long an answer is good for: names that were added are known after this at the latest. */
const freshMs = 60_000;

interface Source {
  vocabulary: Vocabulary | null;
  askedAt: number;
  /** The question in flight; all who need the answer wait for the same. */
  asking: Promise<Vocabulary> | null;
}

const sources = new WeakMap<Context['peers'], Source>();

/**
 * The vocabulary that the content service serves, at most a minute old: the two deploy separately, so names are
 * checked against what is served. Throws `block_vocabulary_unavailable`.
 */
export async function vocabularyOf({ peers, log }: Context): Promise<Vocabulary> {
  let source = sources.get(peers);
  if (!source) {
    source = { vocabulary: null, askedAt: 0, asking: null };
    sources.set(peers, source);
  }
  if (source.vocabulary && Date.now() - source.askedAt < freshMs) return source.vocabulary;
  source.asking ??= ask(peers, source).finally(() => {
    source.asking = null;
  });
  try {
    return await source.asking;
  } catch (err) {
    log.warn({ err }, 'the vocabulary could not be asked for');
    throw errors.block_vocabulary_unavailable({ headers: { 'retry-after': '5' } });
  }
}

async function ask(peers: Context['peers'], source: Source): Promise<Vocabulary> {
  const askedAt = Date.now();
  const reply = await peers.call<{ vocabulary?: Partial<Vocabulary> }>(
    'content',
    'GET',
    '/internal/vocabulary',
  );
  const { elementTypes, widgets, writeKeys } = reply?.vocabulary ?? {};
  const isWhole = elementTypes && widgets && writeKeys?.style && writeKeys.config && writeKeys.specials;
  if (!isWhole) throw new Error('the answer is no vocabulary');
  source.vocabulary = reply!.vocabulary as Vocabulary;
  source.askedAt = askedAt;
  return source.vocabulary;
}
