import { idPrefixes, MailRequested } from '@waybill/contracts';
import { emit } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import { claimAlerts, type EndpointKey } from './queries.ts';

const templates = { failing: 'endpointFailing', dead: 'deliveryDead' } as const;

/**
 * Mails the admins of these endpoints' stores that an endpoint fails, or has lost a delivery. Each endpoint causes at most
 * one mail a day, of either kind, so that a mass of losses is one mail. `decisions.md 12.8`.
 */
export async function notifyAdmins(
  trx: Transaction<Tables>,
  kind: keyof typeof templates,
  endpoints: readonly EndpointKey[],
): Promise<void> {
  if (endpoints.length === 0) return;
  for (const { storeId, endpointId, url } of await claimAlerts(trx, kind, endpoints)) {
    // The developers of an app read the records of its own endpoint.
    if (!storeId.startsWith(idPrefixes.store)) continue;
    // The host alone: there are receivers whose paths are secrets.
    const data = { endpointId, host: URL.parse(url)?.host ?? '' };
    await emit(trx, MailRequested, storeId, {
      mail: { template: templates[kind], data },
      audience: { storeAdmins: storeId },
    });
  }
}
