import {
  DocumentIssued,
  type EventData,
  type EventMessage,
  FormSubmitted,
  FulfillmentCreated,
  FulfillmentUpdated,
  type MailedPart,
  type MailKind,
  OrderCancelled,
  PaymentUpdated,
  RefundCreated,
  type ReturnState,
  ReturnUpdated,
} from '@waybill/contracts';
import { claimNewEvents } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { findFormAddress } from './form-address.ts';
import { insertCustomerMails, type NewCustomerMail } from './queries.ts';

/** A mail to a customer that an event causes, in the terms of the mail's row. */
interface CustomerMail {
  kind: MailKind;
  orderId?: string;
  part?: NonNullable<MailedPart>;
  /** The state of a return that the mail is about. */
  state?: ReturnState;
  /** Set if the mail is about no order. */
  formSubmissionId?: string;
}

/** For each event, returns the mail that its customer gets; null: none. This is the only such table. */
const mailsByEvent: Readonly<Record<string, (data: never) => CustomerMail | null>> = {
  [PaymentUpdated.name]({ payment }: EventData<typeof PaymentUpdated>) {
    // Later events of the payment keep the status, so only the event of the capture itself counts.
    const isReceived = payment.status === 'captured' && payment.entries.at(-1)?.kind === 'captured';
    return isReceived ? { kind: 'paymentReceived', orderId: payment.orderId } : null;
  },
  [FulfillmentCreated.name]: ({
    fulfillment: { id, orderId, updatedAt: at },
  }: EventData<typeof FulfillmentCreated>) => ({
    kind: 'orderShipped',
    orderId,
    part: { kind: 'fulfillment', id, at },
  }),
  [FulfillmentUpdated.name]: ({
    fulfillment: { id, orderId, status, updatedAt: at },
  }: EventData<typeof FulfillmentUpdated>) =>
    status === 'delivered'
      ? { kind: 'orderDelivered', orderId, part: { kind: 'fulfillment', id, at } }
      : null,
  [RefundCreated.name]: ({ refund: { id, orderId } }: EventData<typeof RefundCreated>) => ({
    kind: 'refunded',
    orderId,
    part: { kind: 'refund', id },
  }),
  [ReturnUpdated.name]: ({
    return: { id, orderId, state, updatedAt: at },
  }: EventData<typeof ReturnUpdated>) => ({
    kind: 'returnUpdated',
    orderId,
    part: { kind: 'return', id, at },
    state,
  }),
  [OrderCancelled.name]: ({ orderId }: EventData<typeof OrderCancelled>) => ({
    kind: 'orderCancelled',
    orderId,
  }),
  [DocumentIssued.name]: ({ document: { id, orderId } }: EventData<typeof DocumentIssued>) => ({
    kind: 'documentIssued',
    orderId,
    part: { kind: 'document', id },
  }),
  [FormSubmitted.name]: ({ formSubmission: { id, values } }: EventData<typeof FormSubmitted>) =>
    findFormAddress(values) === null ? null : { kind: 'formReceived', formSubmissionId: id },
};

/** Queues the mails to customers that events cause, once per event. `decisions.md 23.7`. */
export async function queueCustomerMails({ write }: Context, events: EventMessage[]): Promise<void> {
  await write(async ({ trx }) => {
    const mails: NewCustomerMail[] = [];
    for (const { name, storeId, data } of await claimNewEvents(trx, 'customer-mails', events)) {
      const mail = mailsByEvent[name]?.(JSON.parse(data) as never);
      if (!mail) continue;
      const { kind, orderId, part, state, formSubmissionId } = mail;
      mails.push({
        template: formSubmissionId ? 'formMail' : 'customerMail',
        data: {
          storeId,
          kind,
          ...(orderId && { orderId }),
          ...(part && { partKind: part.kind, partId: part.id }),
          ...(part?.at && { partAt: part.at }),
          ...(state && { partState: state }),
          ...(formSubmissionId && { formSubmissionId }),
        },
      });
    }
    await insertCustomerMails(trx, mails);
  });
}
