import {
  Customer,
  CustomFieldValuesInput,
  contentWarnings,
  countries,
  Email,
  linePattern,
  OptionalName,
} from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging, searchRoute } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const line = Type.Optional(
  Type.String({ maxLength: 200, pattern: linePattern, description: 'Empty by default.' }),
);

export const AddressInput = Type.Object(
  {
    name: Type.Optional(OptionalName({ pattern: linePattern, description: 'Empty by default.' })),
    line1: line,
    line2: line,
    city: line,
    region: line,
    postalCode: line,
    country: Type.Optional(
      Type.Enum(['', ...countries], {
        description: 'ISO 3166-1 alpha-2, upper-case; empty by default.',
        examples: ['GB'],
      }),
    ),
  },
  { $id: 'AddressInput' },
);
export type AddressInput = Static<typeof AddressInput>;

export const Phone = Type.String({ maxLength: 50, pattern: linePattern });

export const CustomerInput = Type.Object(
  {
    email: Email,
    name: Type.Optional(OptionalName({ pattern: linePattern })),
    phone: Type.Optional(nullable(Phone)),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { maxItems: 50 })),
    addresses: Type.Optional(Type.Array(AddressInput, { maxItems: 20 })),
    customFields: Type.Optional(CustomFieldValuesInput),
  },
  { $id: 'CustomerInput' },
);
export type CustomerInput = Static<typeof CustomerInput>;

export const sorts = ['created', 'name', 'email'] as const;

const ListQuery = Type.Object({
  ...paging,
  q: Type.Optional(
    Type.String({
      description: 'Every word must occur in the name, the e-mail address or the phone number.',
    }),
  ),
  sort: Type.Enum([...sorts], { default: 'created' }),
  dir: Type.Enum(['asc', 'desc'], { default: 'desc' }),
});
export type ListQuery = Static<typeof ListQuery>;

const Item = Type.Object({ customer: Customer });
const WrittenItem = Type.Object({ customer: Customer, warnings: contentWarnings });
const Note = Type.Object({ note: Type.String() });
const ids = { id: 'customer' } as const;
const memberIds = { storeId: 'store', customerId: 'customer' } as const;

/** Routes of customers: `store-api.md 4.4`; the note: `decisions.md 8.2`. */
export const routes = defineRoutes({
  listCustomers: {
    method: 'GET',
    path: '/api/v1/customers',
    access: { scope: 'customers.read' },
    summary: 'List and search customers',
    description:
      'By name, e-mail address or phone number. `ordersCount` and `totalSpentCents` are computed on read.',
    query: ListQuery,
    answer: [200, pageSchema('customers', Customer)],
  },
  createCustomer: {
    method: 'POST',
    path: '/api/v1/customers',
    access: { scope: 'customers.write' },
    summary: 'Create a customer',
    description: 'The e-mail address is stored in lower case. Emits `customer.created`.',
    body: CustomerInput,
    // The handler stores the answer itself, because concurrent creates of a store share a transaction.
    idempotency: 'handler',
    answer: [201, WrittenItem],
    errors: [errors.duplicate_email, errors.invalid_custom_field, errors.too_many_customers],
  },
  getCustomer: {
    method: 'GET',
    path: '/api/v1/customers/{id}',
    access: { scope: 'customers.read' },
    summary: 'Read a customer',
    description: 'Includes addresses, and totals of orders and spending. Excludes the merchant’s note.',
    ids,
    answer: [200, Item],
    computed: ['customer.ordersCount', 'customer.totalSpentCents'],
  },
  replaceCustomer: {
    method: 'PUT',
    path: '/api/v1/customers/{id}',
    access: { scope: 'customers.write' },
    summary: 'Replace a customer',
    description:
      'Omitted fields return to their defaults, except values of custom fields. Emits `customer.updated` if ' +
      'anything changed.',
    ids,
    body: CustomerInput,
    // The handler looks up custom fields before it begins a transaction.
    idempotency: 'handler',
    answer: [200, WrittenItem],
    errors: [errors.duplicate_email, errors.invalid_custom_field],
  },
  deleteCustomer: {
    method: 'DELETE',
    path: '/api/v1/customers/{id}',
    access: { scope: 'customers.write' },
    summary: 'Delete a customer',
    description: 'The orders stay, with their snapshot of the customer; their `customerId` becomes null.',
    ids,
    answer: [204, null],
  },
  getCustomerNote: {
    method: 'GET',
    path: '/api/stores/{storeId}/customers/{customerId}/note',
    access: { member: 'customers.read' },
    summary: "Read the merchant's private note on a customer",
    description: 'The merchant’s own text. It never appears in `/api/v1` or in events.',
    ids: memberIds,
    answer: [200, Note],
  },
  changeCustomerNote: {
    method: 'PATCH',
    path: '/api/stores/{storeId}/customers/{customerId}/note',
    access: { member: 'customers.write' },
    summary: "Write the merchant's private note on a customer",
    description: 'Null clears it. It never appears in `/api/v1` or in events.',
    ids: memberIds,
    body: Type.Object({ note: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))) }),
    answer: [200, Note],
  },
  searchCustomers: searchRoute('/internal/customers/search'),
});
