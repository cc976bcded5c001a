import { ApiError, MailRequested } from '@waybill/contracts';
import type { Context, Write } from '../config.ts';
import { findRefund } from '../refunding/queries.ts';
import { toRefund } from '../refunding/refunding.ts';
import { issueCreditNote } from './credit-notes.ts';
import { issueInvoice, lockWholeOrder } from './documents.ts';
import {
  type DocumentRequest,
  deleteRequest,
  findInvoice,
  hasRequest,
  lockNextRequest,
  markNotified,
  postponeRequests,
} from './queries.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Issues the next automatic document. Returns true if there may be more. */
export async function issueNextDocument(context: Context): Promise<boolean> {
  const { log } = context;
  let lockedRequest: DocumentRequest | undefined;
  try {
    return await context.write(async (write) => {
      lockedRequest = await lockNextRequest(write.trx, new Date());
      if (!lockedRequest) return false;
      await issueRequested(write, context, lockedRequest);
      await deleteRequest(write.trx, lockedRequest);
      return true;
    });
  } catch (err) {
    if (!lockedRequest) throw err;
    const request = lockedRequest;
    const code = err instanceof ApiError ? err.code : null;
    const isIncomplete = code === 'seller_incomplete';
    // The refund's provider has not answered yet, so the request is tried again soon.
    const waitMs = code === 'invalid_state' ? minuteMs : hourMs;
    if (!isIncomplete && code !== 'invalid_state')
      log.error({ err, ...request }, 'a document could not be issued');
    await context.write(async (write) => {
      await postponeRequests(write.trx, request, new Date(Date.now() + waitMs));
      if (isIncomplete) await notifyAdmins(write, request);
    });
    return true;
  }
}

async function issueRequested(
  write: Write,
  context: Context,
  { storeId, orderId, refundId }: DocumentRequest,
): Promise<void> {
  const { trx } = write;
  if (refundId === '') {
    await issueInvoice(write, context, storeId, orderId);
    return;
  }
  await lockWholeOrder(trx, storeId, orderId);
  // An invoice that waits for the seller's data is issued first. An order without an invoice gets no credit note.
  if (!(await findInvoice(trx, storeId, orderId))) {
    if (!(await hasRequest(trx, storeId, orderId))) return;
    await issueInvoice(write, context, storeId, orderId);
  }
  const refund = await findRefund(trx, storeId, orderId, refundId);
  // A failed refund has moved no money.
  if (!refund || toRefund(refund).state === 'failed') return;
  await issueCreditNote(write, context, storeId, orderId, refundId);
}

/** Mails the admins at most once a day that invoices wait for the seller's data. */
async function notifyAdmins({ trx, emit }: Write, { storeId, orderId }: DocumentRequest): Promise<void> {
  const now = new Date();
  if (!(await markNotified(trx, storeId, now, new Date(now.getTime() - dayMs)))) return;
  const { number } = await lockWholeOrder(trx, storeId, orderId);
  await emit(MailRequested, storeId, {
    mail: { template: 'sellerIncomplete', data: { orderNumber: String(number) } },
    audience: { storeAdmins: storeId },
  });
}
