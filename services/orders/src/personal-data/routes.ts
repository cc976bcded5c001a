import {
  Address,
  Customer,
  FormSubmission,
  Fulfillment,
  idPattern,
  Order,
  OrderDocument,
  Payment,
  Refund,
  Return,
} from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';

const ids = { storeId: 'store', customerId: 'customer' } as const;

const CustomerExport = Type.Object(
  {
    customer: Customer,
    note: Type.String({ description: 'The merchant’s private note.' }),
    orders: Type.Array(Order, { description: 'Oldest first.' }),
    payments: Type.Array(Payment),
    fulfillments: Type.Array(Fulfillment),
    refunds: Type.Array(Refund),
    returns: Type.Array(Return),
    orderNotes: Type.Array(
      Type.Object({
        id: Type.String({ pattern: idPattern('note') }),
        orderId: Type.String({ pattern: idPattern('order') }),
        text: Type.String({ examples: ['Call before delivery.'] }),
        createdAt: Type.String(),
      }),
      { description: 'What members have noted on the orders.' },
    ),
    documents: Type.Array(
      Type.Object({
        ...OrderDocument.properties,
        buyer: Type.Object(
          {
            name: Type.String(),
            email: Type.String(),
            address: nullable(Address),
            country: Type.String(),
            vatId: nullable(Type.String({ examples: ['DE123456789'] })),
          },
          { description: 'What the document says of the buyer.' },
        ),
      }),
      { description: 'Invoices, credit notes and packing slips. Issued ones outlast an erasure.' },
    ),
    formSubmissions: Type.Array(FormSubmission, {
      description: 'What was sent with forms from the customer’s addresses.',
    }),
    events: Type.Array(
      Type.Object({
        id: Type.String({ pattern: idPattern('event') }),
        type: Type.String(),
        createdAt: Type.String(),
      }),
      { description: 'The events that are kept of the customer and these orders, oldest first.' },
    ),
  },
  { $id: 'CustomerExport' },
);

/** Routes of the personal data of customers: `decisions.md 15.7`. */
export const routes = defineRoutes({
  exportCustomer: {
    method: 'GET',
    path: '/api/stores/{storeId}/customers/{customerId}/export',
    access: { member: 'customers.read' },
    summary: 'Download all data of a customer as a file',
    description:
      'One JSON document, sent as it is read: one that breaks off is not whole. A store has 30 a minute.',
    ids,
    answer: [200, CustomerExport],
    isItem: false,
    contentType: 'application/json',
    errors: [errors.rate_limited, errors.resource_unavailable],
  },
  eraseCustomer: {
    method: 'POST',
    path: '/api/stores/{storeId}/customers/{customerId}/erase',
    access: { member: 'customers.write' },
    summary: 'Erase the personal data of a customer',
    description:
      'Deletes the customer with the note, and takes names, addresses, e-mail and phone out of the orders, which stay ' +
      'otherwise as they are: of up to 1,000 before the answer, of more within seconds. So what was sent with forms from their addresses. Events of before, and what ' +
      'receivers replied to them, lose all but the ids within seconds, in a store of a million events within minutes. ' +
      'There is no way back. A customer that was deleted can be erased as well, as long as orders tell of them; ' +
      'otherwise 404. Emits `customer.deleted` unless that was emitted before.',
    ids,
    // The handler calls the content service before it begins a transaction.
    idempotency: 'handler',
    answer: [204, null],
    errors: [errors.resource_unavailable],
  },
});
