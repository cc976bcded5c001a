import { idPrefixes, MailRequested, type RequestedMail } from '@waybill/contracts';
import { audit, emit } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { markWaitingCalls } from '../cancellations/queries.ts';
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
 * Mails the admins of these endpoints' stores that an endpoint fails, or has lost a delivery. An endpoint causes at
 * most one mail of either kind a day, so that mass losses cause one mail (`decisions.md 12.8`).
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

/** Mails the admins of a store about one endpoint, with further facts that the text mentions. */
async function mailAdmins(
  trx: Transaction<Tables>,
  template: Extract<RequestedMail['template'], `${'endpoint' | 'delivery'}${string}`>,
  { storeId, endpointId, url }: EndpointKey & { url: string },
  facts: Record<string, string> = {},
): Promise<void> {
  // The developers of an app see the records of its own endpoint, so no mail is needed.
  if (!storeId.startsWith(idPrefixes.store)) return;
  // Only the host is named, because the path of some receivers is secret.
  const data = { endpointId, host: URL.parse(url)?.host ?? '', ...facts };
  await emit(trx, MailRequested, storeId, {
    mail: { template, data } as RequestedMail,
    audience: { storeAdmins: storeId },
  });
}

/**
 * Sends the alerts of endpoints, and warns about or disables those that have failed for days (`decisions.md 24.4`).
 * Returns true when there may be more.
 */
export async function checkFailures({
  transaction,
  wakeTask,
}: Pick<Context, 'transaction' | 'wakeTask'>): Promise<boolean> {
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
    if (disabled.length > 0) await markWaitingCalls(trx, disabled);
    const warned = await claimWarnings(trx);
    for (const endpoint of warned) await mailAdmins(trx, 'endpointDisabledSoon', endpoint);
    return [rates.length, disabled.length, warned.length];
  });
  if (counts[1]! > 0) wakeTask('cancel');
  return counts.some((count) => count === 100);
}
