import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

export async function hasHold(db: Kysely<Tables>): Promise<boolean> {
  return (await db.selectFrom('provider_hold').select('since').limit(1).executeTakeFirst()) !== undefined;
}

export async function deleteHold(db: Kysely<Tables>): Promise<void> {
  await db.deleteFrom('provider_hold').execute();
}
