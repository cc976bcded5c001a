import { CustomerDeleted, CustomerErased } from '@waybill/contracts';
import { audit, emit, type IdempotentWrite } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { deleteCustomerRow, uncountCustomer } from '../customers/queries.ts';
import { errors } from '../errors.ts';
import {
  deleteErasure,
  type Erasure,
  eraseOrders,
  hasOrdersToErase,
  insertErasure,
  listEmails,
  moveErasure,
  putOffErasure,
  reduceUnpublished,
  type Step,
  type Trx,
  takeErasure,
} from './queries.ts';

/** How many orders a transaction erases at most. */
const stepOrders = 1_000;

/**
 * Erases a person who was a customer: the customer with its note, and what the orders say of them. Orders beyond the
 * first thousand follow by `goOnErasing`. Emits `customer.deleted`, and inside `CustomerErased`. `decisions.md 15.7`.
 * @throws not_found when there is neither such a customer nor an order that tells of one, resource_unavailable while
 * content, which keeps submissions of forms, is away
 */
export async function eraseCustomer(
  context: Context,
  storeId: string,
  customerId: string,
  once: IdempotentWrite,
): Promise<void> {
  await once.begin(undefined);
  // First: once the orders hold no address, nobody knows any more what the person has sent.
  await eraseSubmissions(context, storeId, await listEmails(context.db, storeId, customerId));
  await once.commit(({ trx, afterCommit }) => {
    afterCommit(() => context.wake('erase-orders'));
    return eraseOwn(trx, storeId, customerId);
  });
}

/** Erases what this service itself keeps, or begins to. Throws `not_found`. */
async function eraseOwn(trx: Trx, storeId: string, customerId: string): Promise<void> {
  // Orders before the customer, as every change of an order locks them.
  const first = await eraseOrders(trx, storeId, customerId, 0, stepOrders);
  const isThere = await deleteCustomerRow(trx, storeId, customerId);
  if (!isThere && first.orderIds.length === 0) throw errors.not_found();
  if (isThere) await emit(trx, CustomerDeleted, storeId, { customer: { id: customerId } });
  // Those of checkouts that had the customer until then; the next one makes a new customer.
  const second = await eraseOrders(
    trx,
    storeId,
    customerId,
    first.reached,
    stepOrders - first.orderIds.length,
  );
  const step = { ...second, orderIds: [...first.orderIds, ...second.orderIds] };
  await tellErased(trx, storeId, customerId, step);
  await audit(trx, storeId, 'customer.erased', { id: customerId });
  if (await hasOrdersToErase(trx, storeId, customerId, step.reached)) {
    await insertErasure(trx, storeId, customerId, step.reached);
  }
  // Last: every checkout of the store takes its turn at that row.
  if (isThere) await uncountCustomer(trx, storeId);
}

/** Has what a person has sent with forms taken out of the submissions. */
async function eraseSubmissions(
  { peers }: Pick<Context, 'peers'>,
  storeId: string,
  emails: readonly string[],
): Promise<void> {
  const path = '/internal/customer-form-submissions/erase';
  for (let isMore = emails.length > 0; isMore; ) {
    const reply = await peers.call<{ isMore: boolean }>('content', 'POST', path, { storeId, emails });
    if (!reply) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
    isMore = reply.isMore;
  }
}

/** Erases the next orders of a customer of whom there are more; in a transaction of their own. True: there may be more. */
export async function goOnErasing({ db, transaction, log }: Context): Promise<boolean> {
  let taken: Erasure | null = null;
  const step = transaction(async (trx) => {
    taken = await takeErasure(trx);
    return taken !== null && eraseNext(trx, taken);
  });
  return step.catch(async (err: unknown) => {
    if (!taken) throw err;
    // One that cannot go on now is in line again behind the others.
    const { storeId, customerId } = taken;
    log.warn({ err, storeId, customerId }, 'an erasure could not go on');
    await putOffErasure(db, storeId, customerId);
    return false;
  });
}

async function eraseNext(trx: Trx, { storeId, customerId, reached }: Erasure): Promise<boolean> {
  const step = await eraseOrders(trx, storeId, customerId, reached, stepOrders);
  if (step.orderIds.length > 0) await tellErased(trx, storeId, customerId, step);
  const isMore = await hasOrdersToErase(trx, storeId, customerId, step.reached);
  if (isMore) await moveErasure(trx, storeId, customerId, step.reached);
  else await deleteErasure(trx, storeId, customerId);
  return true;
}

/**
 * Tells who keeps something of them, in the transaction that erased them: events of before it that tell of the person
 * have been written by then, as they were in transactions that held these rows.
 */
async function tellErased(trx: Trx, storeId: string, customerId: string, { orderIds }: Step): Promise<void> {
  await reduceUnpublished(trx, storeId, [customerId, ...orderIds]);
  await emit(trx, CustomerErased, storeId, { customerId, orderIds });
}
