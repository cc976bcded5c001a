import { prepare } from '@waybill/kernel';
import { sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Trx = Transaction<Tables>;

/** An order's use of a discount. */
export interface DiscountUse {
  discountId: string;
  /** The single-use code, folded. */
  codeId: string | null;
}

/** An order and the discounts that it uses. */
export interface OrderUses {
  orderId: string;
  /** In lower case. */
  email: string;
  uses: readonly DiscountUse[];
}

interface LockedDiscount {
  id: string;
  remainingUses: number | null;
  customerLimit: number | null;
}

// Locks in a fixed order, so that transactions that lock several discounts never deadlock. A locked row is returned as
// the transaction left it for which this one waited.
const lock = prepare<LockedDiscount>(
  'discount-lock',
  `select id, total_limit - used_count as "remainingUses", customer_limit as "customerLimit"
   from discount where store_id = $1 and id = any($2::text[]) order by id for update`,
);

const countByCustomer = prepare<{ id: string; email: string; uses: number }>(
  'discount-count',
  `select discount_id as id, email, count(*) as uses from discount_use
   where store_id = $1 and discount_id = any($2::text[]) and email = any($3::text[]) group by discount_id, email`,
);

const lockCodes = prepare<{ id: string }>(
  'discount-code-lock',
  `select id from discount_code
   where store_id = $1 and id = any($2::text[]) and order_id is null order by id for update`,
);

/**
 * Decides which of the orders may use their discounts, one after the other, within the discounts' limits. The discounts
 * stay locked until the transaction ends, so the decision holds until `recordUses` stores the uses.
 */
export async function reserveUses(
  trx: Trx,
  storeId: string,
  orders: readonly OrderUses[],
): Promise<ReadonlySet<string>> {
  const all = orders.flatMap(({ uses }) => uses);
  const admitted = new Set(orders.filter(({ uses }) => uses.length === 0).map(({ orderId }) => orderId));
  if (all.length === 0) return admitted;
  const ids = [...new Set(all.map(({ discountId }) => discountId))];
  const { rows } = await trx.executeQuery(lock([storeId, ids]));
  const discounts = new Map(rows.map((row) => [row.id, row]));
  const usesByCustomer = await countUsesByCustomer(trx, storeId, rows, orders);
  const codeIds = [...new Set(all.flatMap(({ codeId }) => codeId ?? []))];
  const codes = new Set(
    codeIds.length > 0
      ? (await trx.executeQuery(lockCodes([storeId, codeIds]))).rows.map(({ id }) => id)
      : [],
  );
  for (const { orderId, email, uses } of orders) {
    if (uses.length === 0) continue;
    const mayUse = uses.every(({ discountId, codeId }) => {
      const discount = discounts.get(discountId);
      if (!discount) return false;
      const { remainingUses, customerLimit } = discount;
      if (remainingUses !== null && remainingUses <= 0) return false;
      if (
        customerLimit !== null &&
        (usesByCustomer.get(customerKey(discountId, email)) ?? 0) >= customerLimit
      )
        return false;
      return codeId === null || codes.has(codeId);
    });
    if (!mayUse) continue;
    admitted.add(orderId);
    for (const { discountId, codeId } of uses) {
      const discount = discounts.get(discountId)!;
      if (discount.remainingUses !== null) discount.remainingUses--;
      const key = customerKey(discountId, email);
      usesByCustomer.set(key, (usesByCustomer.get(key) ?? 0) + 1);
      if (codeId !== null) codes.delete(codeId);
    }
  }
  return admitted;
}

/** An address contains no line break. */
const customerKey = (discountId: string, email: string): string => `${discountId}\n${email}`;

/**
 * Counts how often each customer has used the locked discounts that are limited by customer. It is a statement after the
 * locks, so it also counts uses that were committed while this transaction waited for them.
 */
async function countUsesByCustomer(
  trx: Trx,
  storeId: string,
  locked: readonly LockedDiscount[],
  orders: readonly OrderUses[],
): Promise<Map<string, number>> {
  const limited = locked.filter(({ customerLimit }) => customerLimit !== null).map(({ id }) => id);
  if (limited.length === 0) return new Map();
  const emails = [...new Set(orders.map(({ email }) => email))];
  const { rows } = await trx.executeQuery(countByCustomer([storeId, limited, emails]));
  return new Map(rows.map(({ id, email, uses }) => [customerKey(id, email), uses]));
}

const record = prepare(
  'discount-use',
  `with used as (
     insert into discount_use (store_id, order_id, discount_id, email, code_id)
     select $1, order_id, discount_id, email, code_id
     from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as u (order_id, discount_id, email, code_id)
     on conflict do nothing
     returning order_id, discount_id, code_id
   ), counted as (
     update discount d set used_count = d.used_count + n.uses
     from (select discount_id, count(*) as uses from used group by discount_id) n
     where d.store_id = $1 and d.id = n.discount_id
   )
   update discount_code c set order_id = used.order_id, used_at = $6
   from used where c.store_id = $1 and c.id = used.code_id and c.discount_id = used.discount_id`,
);

/** Stores the discount uses of admitted orders, after the orders themselves are written. */
export async function recordUses(
  trx: Trx,
  storeId: string,
  orders: readonly OrderUses[],
  now: Date,
): Promise<void> {
  const rows = orders.flatMap(({ orderId, email, uses }) => uses.map((use) => ({ orderId, email, ...use })));
  if (rows.length === 0) return;
  await trx.executeQuery(
    record([
      storeId,
      rows.map(({ orderId }) => orderId),
      rows.map(({ discountId }) => discountId),
      rows.map(({ email }) => email),
      rows.map(({ codeId }) => codeId),
      now,
    ]),
  );
}

/**
 * Returns the uses of a cancelled order's discounts. Runs before its customer is locked, because checkouts lock
 * discounts first.
 */
export async function returnUses(trx: Trx, storeId: string, orderId: string): Promise<void> {
  const { rows } = await sql<{ discount_id: string }>`
    select discount_id from discount_use where store_id = ${storeId} and order_id = ${orderId}`.execute(trx);
  if (rows.length === 0) return;
  await trx.executeQuery(lock([storeId, rows.map(({ discount_id }) => discount_id)]));
  await sql`
    with gone as (
      delete from discount_use where store_id = ${storeId} and order_id = ${orderId} returning discount_id, code_id
    ), counted as (
      update discount d set used_count = greatest(d.used_count - 1, 0)
      from gone where d.store_id = ${storeId} and d.id = gone.discount_id
    )
    update discount_code c set order_id = null, used_at = null
    from gone where c.store_id = ${storeId} and c.id = gone.code_id and c.order_id = ${orderId}`.execute(trx);
}

/** Erases personal data from the uses of orders. The counts of uses stay. */
export async function eraseUses(trx: Trx, storeId: string, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length === 0) return;
  await trx
    .updateTable('discount_use')
    .set({ email: '' })
    .where('store_id', '=', storeId)
    .where('order_id', 'in', [...orderIds])
    .execute();
}
