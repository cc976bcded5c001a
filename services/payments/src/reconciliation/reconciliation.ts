import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { mayCallProviders } from '../hold/hold.ts';
import { ProviderRefused, ProviderSilent } from '../providers/port.ts';
import type { Providers } from '../providers/providers.ts';
import { netOfPayments } from '../records/fact-queries.ts';
import { findReconciliation, listComparable, listPaidSessions, replaceReconciliation } from './queries.ts';
import type { Reconciliation } from './routes.ts';

const comparedMs = 30 * 24 * 3_600_000;
const freshMs = 60_000;

/**
 * What of a store's payments differs from the lists of their providers, compared anew unless that was just done.
 * @throws resource_unavailable where it never was, and a provider does not answer
 */
export async function reconcile(
  context: Pick<Context, 'db' | 'config'>,
  providers: Providers,
  storeId: string,
): Promise<Reconciliation> {
  const { db } = context;
  const now = new Date();
  const last = await findReconciliation(db, storeId);
  const before = last && {
    differences: last.differences as Reconciliation['differences'],
    checkedAt: last.checked_at.toISOString(),
  };
  const isHeld = !(await mayCallProviders(context));
  const isFresh = last !== undefined && now.getTime() - last.checked_at.getTime() < freshMs;
  if (before && (isFresh || isHeld)) return before;
  if (isHeld) throw errors.resource_unavailable();
  try {
    const differences = await compare(db, providers, storeId, now);
    await replaceReconciliation(db, storeId, differences, now);
    return { differences, checkedAt: now.toISOString() };
  } catch (error) {
    if (!(error instanceof ProviderSilent || error instanceof ProviderRefused)) throw error;
    if (before) return before;
    throw errors.resource_unavailable({ message: 'A payment provider does not answer right now.' });
  }
}

async function compare(
  db: Context['db'],
  providers: Providers,
  storeId: string,
  now: Date,
): Promise<Reconciliation['differences']> {
  const since = new Date(now.getTime() - comparedMs);
  const differences: Reconciliation['differences'] = [];
  for (const method of await listComparable(db, storeId)) {
    const known = await listPaidSessions(db, storeId, method.id, since);
    // A method that took nothing has nothing to compare; its key may be long revoked.
    if (known.length === 0 && method.deleted_at !== null) continue;
    const there = await providers.stripe.listSince(method, since);
    const totals = new Map(there.map((total) => [total.paymentId, total]));
    const paymentIds = [...new Set([...totals.keys(), ...known.map(({ payment_id }) => payment_id)])];
    const here = await netOfPayments(db, storeId, paymentIds);
    const intents = new Map(known.map(({ payment_id, intent }) => [payment_id, intent]));
    for (const paymentId of paymentIds) {
      const hereCents = here.get(paymentId) ?? 0;
      const thereCents = totals.get(paymentId)?.netCents ?? 0;
      if (hereCents === thereCents) continue;
      const reference = totals.get(paymentId)?.reference ?? intents.get(paymentId) ?? null;
      differences.push({ paymentId, reference, hereCents, thereCents, checkedAt: now.toISOString() });
    }
  }
  return differences;
}
