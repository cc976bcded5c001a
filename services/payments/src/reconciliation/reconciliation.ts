import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { canCallProviders } from '../hold/hold.ts';
import { ProviderRefusal, ProviderTimeout } from '../providers/port.ts';
import type { Providers } from '../providers/providers.ts';
import { sumNetByPayment } from '../records/fact-queries.ts';
import type { MethodRow } from '../records/session-queries.ts';
import {
  findReconciliation,
  listComparable,
  listPaidSessions,
  listPaymentsOfMethod,
  replaceReconciliation,
} from './queries.ts';
import type { Reconciliation } from './routes.ts';

const comparedMs = 30 * 24 * 3_600_000;
const freshMs = 60_000;

type Differences = Reconciliation['differences'];

/** Comparisons in progress, by store. */
const running = new Map<string, Promise<Reconciliation>>();

/**
 * Returns the differences between a store's payments and its providers' lists. Compares again, unless a comparison has
 * just ended or is in progress. If a method's provider does not answer, keeps the method's last result.
 * @throws resource_unavailable if there is no last result and a provider does not answer
 */
export async function reconcile(
  context: Pick<Context, 'db' | 'config' | 'log'>,
  providers: Providers,
  storeId: string,
): Promise<Reconciliation> {
  const { db } = context;
  const last = await findReconciliation(db, storeId);
  const before = last && {
    differences: last.differences as Differences,
    checkedAt: last.checked_at.toISOString(),
  };
  const isHeld = !(await canCallProviders(context));
  const isFresh = last !== undefined && Date.now() - last.checked_at.getTime() < freshMs;
  if (before && (isFresh || isHeld || running.has(storeId))) return before;
  if (isHeld) throw errors.resource_unavailable();
  const comparing =
    running.get(storeId) ??
    compare(context, providers, storeId, before?.differences ?? null).finally(() => running.delete(storeId));
  running.set(storeId, comparing);
  return comparing;
}

/** Compares all methods of a store. `before`: the result of the last comparison; null: there was none. */
async function compare(
  { db, log }: Pick<Context, 'db' | 'log'>,
  providers: Providers,
  storeId: string,
  before: Differences | null,
): Promise<Reconciliation> {
  const now = new Date();
  const since = new Date(now.getTime() - comparedMs);
  // Methods may share an account, whose list contains the payments of all of them.
  const found = new Map<string, Differences[number]>();
  for (const method of await listComparable(db, storeId, since)) {
    try {
      for (const each of await compareMethod(db, providers, method, since, now))
        found.set(each.paymentId, each);
    } catch (error) {
      if (!(error instanceof ProviderTimeout || error instanceof ProviderRefusal)) throw error;
      log.warn({ err: error, storeId, methodId: method.id }, 'a payment method could not be compared');
      if (before === null)
        throw errors.resource_unavailable({ message: 'A payment provider does not answer right now.' });
      const ids = before.map(({ paymentId }) => paymentId);
      const own = new Set(await listPaymentsOfMethod(db, storeId, method.id, ids));
      for (const each of before)
        if (own.has(each.paymentId) && !found.has(each.paymentId)) found.set(each.paymentId, each);
    }
  }
  const differences = [...found.values()];
  await replaceReconciliation(db, storeId, differences, now);
  return { differences, checkedAt: now.toISOString() };
}

async function compareMethod(
  db: Context['db'],
  providers: Providers,
  method: MethodRow,
  since: Date,
  now: Date,
): Promise<Differences> {
  const storeId = method.store_id;
  const there = await providers.stripe.listSince(method, since);
  const known = await listPaidSessions(db, storeId, method.id, there.since);
  const totals = new Map(there.totals.map((total) => [total.paymentId, total]));
  const paymentIds = [...new Set([...totals.keys(), ...known.map(({ payment_id }) => payment_id)])];
  const here = await sumNetByPayment(db, storeId, paymentIds);
  const intents = new Map(known.map(({ payment_id, intent }) => [payment_id, intent]));
  return paymentIds.flatMap((paymentId) => {
    const hereCents = here.get(paymentId) ?? 0;
    const thereCents = totals.get(paymentId)?.netCents ?? 0;
    if (hereCents === thereCents) return [];
    const reference = totals.get(paymentId)?.reference ?? intents.get(paymentId) ?? null;
    return [{ paymentId, reference, hereCents, thereCents, checkedAt: now.toISOString() }];
  });
}
