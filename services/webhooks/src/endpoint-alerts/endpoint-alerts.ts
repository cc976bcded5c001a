import { idPrefixes, MailRequested, type RequestedMail } from '@waybill/contracts';
import { audit, emit } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { markWaiting } from '../cancellations/queries.ts';
import type { Context } from '../context.ts';
import type { Tables } from '../tables.ts';
import {
  claimAlerts,
  claimFailureRates,
  claimWarnings,
  disableFailing,
  type EndpointKey,
} from './queries.ts';

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
  for (const endpoint of await claimAlerts(trx, kind, endpoints))
    await mailAdmins(trx, templates[kind], endpoint);
}

/** Mails the admins of a store about one endpoint, with further facts that the text names. */
async function mailAdmins(
  trx: Transaction<Tables>,
  template: Extract<RequestedMail['template'], `${'endpoint' | 'delivery'}${string}`>,
  { storeId, endpointId, url }: EndpointKey & { url: string },
  facts: Record<string, string> = {},
): Promise<void> {
  // The developers of an app read the records of its own endpoint.
  if (!storeId.startsWith(idPrefixes.store)) return;
  // The host alone: there are receivers whose paths are secrets.
  const data = { endpointId, host: URL.parse(url)?.host ?? '', ...facts };
  await emit(trx, MailRequested, storeId, {
    mail: { template, data } as RequestedMail,
    audience: { storeAdmins: storeId },
  });
}

/**
 * Looks at endpoints with alerts, and at those that are to be disabled after days of failures: `decisions.md 24.4`. True:
 * there may be more.
 */
export async function checkFailures({
  transaction,
  wake,
}: Pick<Context, 'transaction' | 'wake'>): Promise<boolean> {
  const counts = await transaction(async (trx) => {
    const rates = await claimFailureRates(trx);
    for (const { percent, minutes, ...endpoint } of rates)
      await mailAdmins(trx, 'endpointFailureRate', endpoint, {
        percent: String(percent),
        minutes: String(minutes),
      });
    const disabled = await disableFailing(trx);
    for (const endpoint of disabled) {
      const { storeId, endpointId: id, url } = endpoint;
      await audit(
        trx,
        storeId,
        'webhook.updated',
        { id, name: URL.parse(url)?.host ?? '' },
        { changed: ['status'] },
      );
      await mailAdmins(trx, 'endpointDisabled', endpoint);
    }
    if (disabled.length > 0) await markWaiting(trx, disabled);
    const warned = await claimWarnings(trx);
    for (const endpoint of warned) await mailAdmins(trx, 'endpointDisabledSoon', endpoint);
    return [rates.length, disabled.length, warned.length];
  });
  if (counts[1]! > 0) wake('cancel');
  return counts.some((count) => count === 100);
}
