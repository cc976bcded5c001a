import type { SealedDefinition, TaskDefinition } from '@waybill/kernel';
import {
  countHeldBy,
  createEncryptionKeys,
  type Resealing,
  resealTask,
  type SealedRow,
} from '@waybill/outbound';
import type { Kysely } from 'kysely';
import type { Context } from './config.ts';
import { listSealedSecrets, replaceSealedSecrets, type SealedSecrets } from './methods/queries.ts';
import type { Tables } from './tables.ts';

interface SealedMethod extends SealedRow {
  row: SealedSecrets;
}

const readFrom =
  (db: Kysely<Tables>): Resealing<SealedMethod>['read'] =>
  async (after, limit) => {
    const rows = await listSealedSecrets(db, after?.row ?? null, limit);
    return rows.map((row) => ({
      context: row.id,
      sealed: [row.sealed_secret_key, row.sealed_webhook_secret],
      row,
    }));
  };

/** Creates the task that seals the secrets of methods again when the key changes. `decisions.md 18.1`. */
export function resealSecrets({ config, db, log }: Pick<Context, 'config' | 'db' | 'log'>): TaskDefinition {
  return resealTask({
    service: 'payments',
    keys: config.encryptionKeys,
    log,
    read: readFrom(db),
    replace: ({ row }, [secretKey, webhookSecret]) =>
      replaceSealedSecrets(db, row, secretKey ?? null, webhookSecret ?? null),
  });
}

export const sealed: SealedDefinition<Tables> = {
  setting: 'WAYBILL_PAYMENT_ENCRYPTION_KEY',
  what: 'secrets of payment providers',
  countHeldBy: (db, key, others) =>
    countHeldBy(readFrom(db), createEncryptionKeys([key]), createEncryptionKeys(others)),
};
