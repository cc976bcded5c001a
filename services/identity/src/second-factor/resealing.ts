import type { SealedDefinition, TaskDefinition } from '@waybill/kernel';
import { countHeldBy, type Resealing, resealTask, type SealedRow } from '@waybill/outbound';
import type { Kysely } from 'kysely';
import { type Context, createSealingKeys, userTokenKey } from '../config.ts';
import type { Tables } from '../tables.ts';
import { listSealedSecrets, replaceSealedSecret, type SealedSecret } from './queries.ts';

interface SealedHolder extends SealedRow {
  row: SealedSecret;
}

const readFrom =
  (db: Kysely<Tables>): Resealing<SealedHolder>['read'] =>
  async (after, limit) => {
    const rows = await listSealedSecrets(db, after?.row ?? null, limit);
    return rows.map((row) => ({ context: row.id, sealed: [row.totp_secret], row }));
  };

/** Creates the task that seals the secrets of second factors again when the key changes. `decisions.md 18.1`. */
export function resealSecrets({ config, db, log }: Pick<Context, 'config' | 'db' | 'log'>): TaskDefinition {
  return resealTask({
    service: 'identity',
    keys: config.sealingKeys,
    log,
    read: readFrom(db),
    replace: ({ row }, [secret]) => replaceSealedSecret(db, row, secret!),
  });
}

export const sealed: SealedDefinition<Tables> = {
  setting: userTokenKey,
  what: 'secrets of second factors',
  countHeldBy: (db, key, others) =>
    countHeldBy(readFrom(db), createSealingKeys([key]), createSealingKeys(others)),
};
