import { CustomerDeleted, CustomerErased } from '@waybill/contracts';
import type { IdempotentWrite } from '@waybill/kernel';
import type { Context, Write } from '../config.ts';
import { deleteCustomerRow, uncountCustomer } from '../customers/queries.ts';
import { errors } from '../errors.ts';
import {
  claimErasure,
  deferErasure,
  deleteErasure,
  type Erasure,
  eraseOrders,
  hasOrdersToErase,
  insertErasure,
  listEmails,
  moveErasure,
  redactUnpublished,
  type Step,
} from './queries.ts';

/** Maximum number of orders that one transaction erases. */
const stepOrders = 1_000;

/**
 * Erases the personal data of a customer: the customer with its note, and the data in the orders. `continueErasures`
 * continues with orders beyond the first thousand. Emits `customer.deleted`, and internally `CustomerErased`.
 * `decisions.md 15.7`.
 * @throws not_found if neither the customer nor an order with personal data exists, resource_unavailable if the content
 * service, which stores form submissions, is unreachable
 */
export async function eraseCustomer(
  context: Context,
  storeId: string,
  customerId: string,
  idempotentWrite: IdempotentWrite,
): Promise<void> {
  await idempotentWrite.begin(undefined);
  // Submissions come first: once the orders contain no address, nobody can find what the person has sent.
  await eraseSubmissions(context, storeId, await listEmails(context.db, storeId, customerId));
  await idempotentWrite.commit((write) => {
    write.afterCommit(() => context.wakeTask('erase-orders'));
    return eraseOwn(write, storeId, customerId);
  });
}

/** Erases this service's own data, or begins to. Throws `not_found`. */
async function eraseOwn(write: Write, storeId: string, customerId: string): Promise<void> {
  const { trx, emit, audit } = write;
  // Locks orders before the customer, as every change of an order does.
  const first = await eraseOrders(trx, storeId, customerId, 0, stepOrders);
  const isThere = await deleteCustomerRow(trx, storeId, customerId);
  if (!isThere && first.orderIds.length === 0) throw errors.not_found();
  if (isThere) await emit(CustomerDeleted, storeId, { customer: { id: customerId } });
  // Covers the orders of checkouts that used the customer until then. The next checkout creates a new customer.
  const second = await eraseOrders(
    trx,
    storeId,
    customerId,
    first.reached,
    stepOrders - first.orderIds.length,
  );
  const step = { ...second, orderIds: [...first.orderIds, ...second.orderIds] };
  await emitErased(write, storeId, customerId, step);
  await audit(storeId, 'customer.erased', { id: customerId });
  if (await hasOrdersToErase(trx, storeId, customerId, step.reached)) {
    await insertErasure(trx, storeId, customerId, step.reached);
  }
  // Comes last, because all checkouts of the store wait for this row.
  if (isThere) await uncountCustomer(trx, storeId);
}

/** Removes a person's data from form submissions. */
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

/**
 * Erases the next orders of a customer with many orders, in a separate transaction. Returns true if there may be more.
 */
export async function continueErasures({ db, write, log }: Context): Promise<boolean> {
  let claimed: Erasure | null = null;
  const step = write(async (scope) => {
    claimed = await claimErasure(scope.trx);
    return claimed !== null && eraseNext(scope, claimed);
  });
  return step.catch(async (err: unknown) => {
    if (!claimed) throw err;
    // An erasure that cannot continue now goes to the end of the line.
    const { storeId, customerId } = claimed;
    log.warn({ err, storeId, customerId }, 'an erasure could not continue');
    await deferErasure(db, storeId, customerId);
    return false;
  });
}

async function eraseNext(write: Write, { storeId, customerId, reached }: Erasure): Promise<boolean> {
  const { trx } = write;
  const step = await eraseOrders(trx, storeId, customerId, reached, stepOrders);
  if (step.orderIds.length > 0) await emitErased(write, storeId, customerId, step);
  const isMore = await hasOrdersToErase(trx, storeId, customerId, step.reached);
  if (isMore) await moveErasure(trx, storeId, customerId, step.reached);
  else await deleteErasure(trx, storeId, customerId);
  return true;
}

/**
 * Tells other services what was erased, in the transaction that erased it. Earlier events with personal data are
 * already written by then, because their transactions held the same rows.
 */
async function emitErased(
  { trx, emit }: Write,
  storeId: string,
  customerId: string,
  { orderIds }: Step,
): Promise<void> {
  await redactUnpublished(trx, storeId, [customerId, ...orderIds]);
  await emit(CustomerErased, storeId, { customerId, orderIds });
}
