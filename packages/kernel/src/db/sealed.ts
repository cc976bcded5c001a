import type { Kysely } from 'kysely';
import type { NamedKey } from '../operations/keys.ts';

/** Data that a service seals, for an operator who is about to drop a key: `npm run keys`. */
export interface SealedDefinition<Tables> {
  /** The setting whose keys seal the data; `…S` holds its list. */
  setting: string;
  /** Describes the data to an operator. */
  what: string;
  /** Counts the rows, of all owners, that `key` opens and none of `others` does: dropping the key would lose them. */
  countHeldBy(db: Kysely<Tables>, key: NamedKey, others: readonly NamedKey[]): Promise<number>;
}
