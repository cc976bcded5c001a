import { idPrefixes, MailRequested } from '@waybill/contracts';
import { emit } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import { type EndpointKey, noteTold } from './queries.ts';

const templates = { failing: 'endpointFailing', dead: 'deliveryDead' } as const;

/**
 * Has the admins of these endpoints' stores told by mail that they fail, or have lost a delivery: at most one mail a day
 * for each endpoint, whichever of the two it is, so that a mass of losses is one event. `decisions.md 12.8`.
 */
export async function tellAdmins(
  trx: Transaction<Tables>,
  what: keyof typeof templates,
  endpoints: readonly EndpointKey[],
): Promise<void> {
  if (endpoints.length === 0) return;
  for (const { storeId, endpointId, url } of await noteTold(trx, what, endpoints)) {
    // An app's own endpoint: who develops it reads its records.
    if (!storeId.startsWith(idPrefixes.store)) continue;
    // The host alone: there are receivers whose paths are secrets.
    const data = { endpointId, host: URL.parse(url)?.host ?? '' };
    await emit(trx, MailRequested, storeId, {
      mail: { template: templates[what], data },
      audience: { storeAdmins: storeId },
    });
  }
}
