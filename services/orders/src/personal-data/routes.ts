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
      { description: 'The members’ notes on the orders.' },
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
          { description: 'The buyer’s details on the document.' },
        ),
      }),
      {
        description: 'Invoices, credit notes and packing slips. Issued documents are kept after an erasure.',
      },
    ),
    formSubmissions: Type.Array(FormSubmission, {
      description: 'Form submissions from the customer’s e-mail addresses.',
    }),
    events: Type.Array(
      Type.Object({
        id: Type.String({ pattern: idPattern('event') }),
        type: Type.String(),
        createdAt: Type.String(),
      }),
      { description: 'The stored events about the customer and these orders, oldest first.' },
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
      'One JSON document, streamed as it is read: a truncated one is incomplete. At most 30 a minute per store.',
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
      'Deletes the customer with the note, and removes names, addresses, e-mail and phone from the orders, ' +
      'which otherwise stay unchanged: for up to 1,000 orders before the answer, for more within seconds. Also ' +
      'removes form submissions from their addresses. Earlier events, and receivers’ replies to them, lose ' +
      'everything but the IDs within seconds; in a store with a million events, within minutes. Cannot be ' +
      'undone. A deleted customer can also be erased while orders contain their data; otherwise 404. Emits ' +
      '`customer.deleted` unless already emitted.',
    ids,
    // The handler calls the content service before it begins a transaction.
    idempotency: 'handler',
    answer: [204, null],
    errors: [errors.resource_unavailable],
  },
});
