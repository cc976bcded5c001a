import {
  type EventData,
  type EventMessage,
  type LineFacts,
  type LineItem,
  type OrderCancelled,
  type Reservation,
  type ReservationRelease,
  type ReservationRequest,
  type Settlement,
  subscriptions,
  type UnitsReturned,
} from '@waybill/contracts';
import { claimNewEvents, type ServiceContext, WriteAlone } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { lockVariants, moveStock, type VariantForSale } from '../stock/queries.ts';
import { stockMovesWithEvents } from '../stock/stock.ts';
import type { Tables } from '../tables.ts';
import {
  deleteReservation,
  deleteReservationsOfPlacedOrders,
  findReservations,
  insertReservations,
  listExpired,
  lockForOrders,
  type NewReservation,
  type ReservedLines,
} from './queries.ts';

type Context = ServiceContext<object, Tables>;
type Trx = Transaction<Tables>;
type Item = ReservationRequest['items'][number];

/**
 * Returns the function that reserves the stock of all items of an order, or of none, and answers with names and prices.
 * A repeated request for the same order before the expiry gets the same answer and takes nothing more. Emits
 * `product.updated` once per product for all orders of a batch.
 */
export function createReserveStock({ groupCommit }: Context) {
  const reserve = groupCommit({
    write: reserveAll,
    measureBytes: ({ items }: ReservationRequest) => 512 * (items.length + 1),
  });
  return (request: ReservationRequest): Promise<Reservation> => reserve(request.storeId, request);
}

async function reserveAll(
  trx: Trx,
  storeId: string,
  requests: readonly ReservationRequest[],
): Promise<Reservation[]> {
  // Concurrent requests for any of these variants wait here. Products and variants are always locked in the same order.
  const variantIds = [...new Set(requests.flatMap(({ items }) => items.map(({ variantId }) => variantId)))];
  const orderIds = requests.map(({ orderId }) => orderId);
  const { variants, reserved } = await lockForOrders(trx, storeId, variantIds, orderIds);
  const moves = new Map<string, number>();
  const reservations: NewReservation[] = [];
  const answers = requests.map(({ orderId, expiresAt, items }): Reservation => {
    const known = reserved.get(orderId);
    if (known) return toReserved(known);
    const answer = decideReservation(items, variants);
    if (answer.outcome === 'reserved') {
      const { lines, facts } = answer;
      reserved.set(orderId, { lines, facts });
      reservations.push({ orderId, expiresAt, lines, facts });
      for (const { variantId, quantity } of items) {
        variants.get(variantId)!.stock -= quantity;
        moves.set(variantId, (moves.get(variantId) ?? 0) - quantity);
      }
    }
    return answer;
  });
  if (reservations.length > 0) {
    const isInserted = await insertReservations(
      trx,
      reservations,
      stockMovesWithEvents(trx, storeId, moves, variants),
    );
    // Other orders of the batch may have been refused stock that this batch then did not take, so each is tried alone.
    if (!isInserted && requests.length > 1) throw new WriteAlone();
    if (!isInserted) answers[0] = { outcome: 'expired' };
  }
  const refused = orderIds.filter((_, i) => answers[i]!.outcome !== 'reserved');
  if (refused.length === 0) return answers;
  // After waiting for the locks, the transaction has seen reservations in an older state. If stock is missing, another
  // process may have taken it for the same order.
  const stored = await findReservations(trx, storeId, refused);
  return answers.map((answer, i) => {
    const known = stored.get(orderIds[i]!);
    return known ? toReserved(known) : answer;
  });
}

/** Decides how to answer an order, given the stock before the order takes any. */
function decideReservation(
  items: readonly Item[],
  variants: ReadonlyMap<string, VariantForSale>,
): Reservation {
  const problems = items.flatMap((item) => findProblem(item, variants.get(item.variantId)) ?? []);
  if (problems.length > 0) return { outcome: 'refused', problems };
  const missing = items.filter(({ variantId, quantity }) => variants.get(variantId)!.stock < quantity);
  if (missing.length > 0) {
    const shortages = missing.map(({ variantId }) => ({
      variantId,
      available: variants.get(variantId)!.stock > 0,
    }));
    return { outcome: 'out_of_stock', variants: shortages };
  }
  const lines = items.map((item) => toLineItem(item, variants.get(item.variantId)!));
  if (!Number.isSafeInteger(lines.reduce((sum, { totalCents }) => sum + totalCents, 0))) {
    const message = 'makes the total of the order too large';
    return { outcome: 'refused', problems: [{ variantId: items[0]!.variantId, message }] };
  }
  return { outcome: 'reserved', lines, facts: items.map(({ variantId }) => variants.get(variantId)!.facts) };
}

/** Facts of line items that a version without facts reserved. All products were like this then. */
const formerFacts: LineFacts = {
  options: {},
  tags: [],
  taxCategory: 'standard',
  categoryIds: [],
  weightGrams: null,
  requiresShipping: true,
  compareAtCents: null,
};

const toReserved = ({ lines, facts }: ReservedLines): Reservation => ({
  outcome: 'reserved',
  lines: [...lines],
  facts: facts ? [...facts] : lines.map(() => formerFacts),
});

function findProblem({ variantId }: Item, variant: VariantForSale | undefined) {
  if (!variant) return { variantId, message: 'is not a variant of this store' };
  return variant.status === 'active'
    ? null
    : { variantId, message: 'belongs to a product that is not for sale' };
}

function toLineItem({ variantId, quantity }: Item, variant: VariantForSale): LineItem {
  const { productId, sku, name, variantName, priceCents } = variant;
  return {
    productId,
    variantId,
    sku,
    name,
    variantName,
    quantity,
    unitPriceCents: priceCents,
    totalCents: priceCents * quantity,
  };
}

/** Puts stock back. Skips variants that were deleted in the meantime. */
async function returnStock(trx: Trx, storeId: string, items: readonly Item[]): Promise<void> {
  const moves = new Map(items.map(({ variantId, quantity }) => [variantId, quantity]));
  const variants = await lockVariants(trx, storeId, [...moves.keys()]);
  await moveStock(trx, stockMovesWithEvents(trx, storeId, moves, variants));
}

/** Puts back the stock of an order that will never be written. Does nothing if that has already happened. */
export async function releaseStock(trx: Trx, { storeId, orderId }: ReservationRelease): Promise<void> {
  // If several processes try, only the one that deletes the row puts the stock back.
  const lines = await deleteReservation(trx, storeId, orderId);
  if (lines) await returnStock(trx, storeId, lines);
}

/**
 * Puts back the stock of cancelled orders, and of refunds and returns. Each event takes effect once, however often it
 * arrives. `decisions.md 3.2, 23.2`.
 */
export async function onUnitsReturned(
  { transaction }: Context,
  events: readonly EventMessage[],
): Promise<void> {
  for (const event of events) {
    const { items }: EventData<typeof OrderCancelled | typeof UnitsReturned> = JSON.parse(event.data);
    await transaction(async (trx) => {
      const [fresh] = await claimNewEvents(trx, subscriptions.catalogCancelledOrders.queue, [event]);
      if (fresh) await returnStock(trx, fresh.storeId, items);
    });
  }
}

const maxSettled = 200;

/**
 * Asks the orders service about expired reservations. Placed orders keep their stock; the stock of all others goes
 * back. Without an answer nothing changes. Returns true if there may be more.
 */
export async function resolveExpiredReservations({ db, transaction, peers, log }: Context): Promise<boolean> {
  const expired = await listExpired(db, maxSettled);
  if (expired.length === 0) return false;
  const reply = await peers.call<Settlement>('orders', 'POST', '/internal/orders/settle', {
    orders: expired,
  });
  if (!reply) throw new Error('the orders service does not know how to settle');
  await deleteReservationsOfPlacedOrders(
    db,
    expired.filter((_, i) => reply.placed[i]),
  );
  let failed = 0;
  for (const { storeId, orderId } of expired.filter((_, i) => !reply.placed[i])) {
    const released = transaction((trx) => releaseStock(trx, { storeId, orderId }));
    // A reservation whose stock cannot go back now does not hold up the others.
    await released.catch((err: unknown) => {
      failed++;
      log.warn({ err, storeId, orderId }, 'the stock of a reservation could not be put back');
    });
  }
  return failed === 0 && expired.length === maxSettled;
}
