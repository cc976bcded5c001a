import type { Context } from '../config.ts';
import { derivePayment, summariseMoney } from '../ledger/entries.ts';
import { listOrderPayments, listOrdersWithPayments, type OrderKey } from '../ledger/queries.ts';
import { ledgerChecks } from '../metrics.ts';
import { lockOrder } from '../orders/queries.ts';

const ordersAtOnce = 100;

/**
 * The task that compares the stored totals of orders with their entries, some orders per turn. Both are written
 * together, so a difference is a bug: the task counts and logs it, and changes nothing.
 */
export function ledgerCheckTask(context: Context): () => Promise<void> {
  let before: OrderKey | null = null;
  return async () => {
    const orders: OrderKey[] = await listOrdersWithPayments(context.db, before, ordersAtOnce);
    before = orders.at(-1) ?? null;
    for (const order of orders) await checkLedger(context, order);
  };
}

async function checkLedger(context: Context, { storeId, orderId }: OrderKey): Promise<void> {
  const differing = await context.transaction(async (trx) => {
    const order = await lockOrder(trx, storeId, orderId);
    // Orders that are older than the ledger have no totals yet.
    if (!order || order.paidCents === null) return [];
    const payments = await listOrderPayments(trx, storeId, orderId);
    const rows = [{ id: orderId, stored: order, derived: summariseMoney(order, payments) }];
    const all = [
      ...rows,
      ...payments.map((row) => ({ id: row.id, stored: row, derived: derivePayment(row) })),
    ];
    return all.flatMap(({ id, stored, derived }) => (hasAll(stored, derived) ? [] : id));
  });
  ledgerChecks.inc({ outcome: differing.length > 0 ? 'different' : 'same' });
  if (differing.length > 0)
    context.log.error({ storeId, orderId, differing }, 'an order’s money does not match its ledger entries');
}

/** Whether an object has all members of another with the same values. */
const hasAll = (stored: object, derived: object): boolean =>
  Object.entries(derived).every(([name, value]) => (stored as Record<string, unknown>)[name] === value);
