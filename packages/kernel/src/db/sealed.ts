import type { Kysely } from 'kysely';
import type { NamedKey } from '../operations/keys.ts';

/** What a service keeps sealed, as whoever is about to drop a key has to know: `npm run keys`. */
export interface SealedDefinition<Tables> {
  /** The setting whose keys seal it; `…S` is its list. */
  setting: string;
  /** In words, for an operator. */
  what: string;
  /** How many rows of all hold what `key` opens and none of `others` does: dropped, it would lose them. */
  countHeldBy(db: Kysely<Tables>, key: NamedKey, others: readonly NamedKey[]): Promise<number>;
}
