import type { TaskDefinition } from '@waybill/kernel';
import { resealTask, type SealedRow } from '@waybill/outbound';
import type { Context } from '../config.ts';
import { listSealedSecrets, replaceSealedSecret, type SealedSecret } from './queries.ts';

interface SealedHolder extends SealedRow {
  row: SealedSecret;
}

/** Seals the secrets of second factors anew when there is another key for it. `decisions.md 18.1`. */
export function resealSecrets({ config, db, log }: Pick<Context, 'config' | 'db' | 'log'>): TaskDefinition {
  return resealTask({
    service: 'identity',
    keys: config.sealingKeys,
    log,
    async read(after: SealedHolder | null, limit) {
      const rows = await listSealedSecrets(db, after?.row ?? null, limit);
      return rows.map((row): SealedHolder => ({ context: row.id, sealed: [row.totp_secret], row }));
    },
    replace: ({ row }, [secret]) => replaceSealedSecret(db, row, secret!),
  });
}
