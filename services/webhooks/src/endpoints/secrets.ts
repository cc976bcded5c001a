import type { DeliveryJob } from '@waybill/contracts';
import type { SealedDefinition, TaskDefinition } from '@waybill/kernel';
import {
  countHeldBy,
  createEncryptionKeys,
  type Resealing,
  resealTask,
  type SealedRow,
} from '@waybill/outbound';
import type { Kysely } from 'kysely';
import type { Context } from '../context.ts';
import type { Tables } from '../tables.ts';
import { type Endpoint, listSealedSecrets, replaceSealedSecrets, type SealedSecrets } from './queries.ts';

interface SealedEndpoint extends SealedRow {
  row: SealedSecrets;
}

/** Returns the previous secret while calls are also signed with it; otherwise null. */
export function findPreviousSecret(endpoint: Endpoint): NonNullable<DeliveryJob['previousSecret']> | null {
  const { sealed_previous_secret: sealed, previous_secret_expires_at: expiresAt } = endpoint;
  if (!sealed || !expiresAt || expiresAt.getTime() <= Date.now()) return null;
  return { sealed, expiresAt: expiresAt.toISOString() };
}

const createSecretReader =
  (db: Kysely<Tables>): Resealing<SealedEndpoint>['read'] =>
  async (after, limit) => {
    const rows = await listSealedSecrets(db, after?.row ?? null, limit);
    return rows.map((row) => ({
      context: row.id,
      sealed: [row.sealed_secret, row.sealed_previous_secret, row.sealed_settings],
      row,
    }));
  };

/** Reseals the secrets of endpoints when the encryption key has changed: `decisions.md 18.1`. */
export function resealSecrets({ config, db, log }: Pick<Context, 'config' | 'db' | 'log'>): TaskDefinition {
  return resealTask({
    service: 'webhooks',
    keys: config.encryptionKeys,
    log,
    read: createSecretReader(db),
    replace: ({ row }, [secret, previous, settings]) =>
      replaceSealedSecrets(db, row, {
        sealed_secret: secret!,
        sealed_previous_secret: previous ?? null,
        sealed_settings: settings ?? null,
      }),
  });
}

export const sealed: SealedDefinition<Tables> = {
  setting: 'WAYBILL_WEBHOOK_ENCRYPTION_KEY',
  what: 'signing secrets of webhook endpoints',
  countHeldBy: (db, key, otherKeys) =>
    countHeldBy(createSecretReader(db), createEncryptionKeys([key]), createEncryptionKeys(otherKeys)),
};
