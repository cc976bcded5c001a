import type { DeliveryJob } from '@waybill/contracts';
import type { TaskDefinition } from '@waybill/kernel';
import { resealTask, type SealedRow } from '@waybill/outbound';
import type { Context } from '../state.ts';
import { type Endpoint, listSealedSecrets, replaceSealedSecrets, type SealedSecrets } from './queries.ts';

interface SealedEndpoint extends SealedRow {
  row: SealedSecrets;
}

/** The secret before the last rotation while calls are signed with it as well; null: they are not. */
export function previousSecretOf(endpoint: Endpoint): NonNullable<DeliveryJob['previousSecret']> | null {
  const { sealed_previous_secret: sealed, previous_secret_expires_at: expiresAt } = endpoint;
  if (!sealed || !expiresAt || expiresAt.getTime() <= Date.now()) return null;
  return { sealed, expiresAt: expiresAt.toISOString() };
}

/** Seals the secrets of endpoints anew when there is another key for it. `decisions.md 18.1`. */
export function resealSecrets({ config, db, log }: Pick<Context, 'config' | 'db' | 'log'>): TaskDefinition {
  return resealTask({
    service: 'webhooks',
    keys: config.encryptionKeys,
    log,
    async read(after: SealedEndpoint | null, limit) {
      const rows = await listSealedSecrets(db, after?.row ?? null, limit);
      return rows.map(
        (row): SealedEndpoint => ({
          context: row.id,
          sealed: [row.sealed_secret, row.sealed_previous_secret],
          row,
        }),
      );
    },
    replace: ({ row }, [secret, previous]) => replaceSealedSecrets(db, row, secret!, previous ?? null),
  });
}
