import {
  type Address,
  CustomerCreated,
  CustomerDeleted,
  CustomerUpdated,
  newId,
  storeLimits,
} from '@waybill/contracts';
import { applyChange, requireValues, type ValuesChange } from '@waybill/custom-fields';
import {
  type Answer,
  createEmission,
  currentTrace,
  type IdempotentWrite,
  rawJson,
  violatedConstraint,
  WriteAlone,
  withWarnings,
} from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  type CustomerState,
  countCustomers,
  deleteCustomerRow,
  findCustomerEnvelope,
  insertCustomers,
  lockCustomer,
  uncountCustomer,
  updateCustomer,
} from './queries.ts';
import type { AddressInput, CustomerInput } from './routes.ts';

/** A customer to create. */
interface CreateRequest {
  id: string;
  state: CustomerState;
  /** Trace of the request that creates the customer. */
  trace: string | undefined;
}

/**
 * Creates the function that creates a customer and emits `customer.created`. Concurrent creates of a store share a
 * transaction. The function returns the `{ customer }` envelope.
 * @throws duplicate_email, too_many_customers
 */
export function customerCreation({ groupCommit }: Context) {
  const createWithOthers = groupCommit({
    write: insertWithinLimit,
    measureBytes: ({ state }: CreateRequest) => JSON.stringify(state).length,
  });
  return (
    storeId: string,
    input: CustomerInput,
    change: ValuesChange,
    { commitInGroup }: IdempotentWrite,
  ): Promise<Answer> => {
    requireValues(change);
    const state = createState(input, applyChange({}, change));
    const requested = { id: newId('customer'), state, trace: currentTrace() };
    const toAnswer = (envelope: string) => rawJson(withWarnings(envelope, change.warnings));
    return translateEmailConflict(
      commitInGroup((scope) => createWithOthers(storeId, requested, scope), toAnswer),
    );
  };
}

async function insertWithinLimit(
  trx: Transaction<Tables>,
  storeId: string,
  all: readonly CreateRequest[],
): Promise<string[]> {
  // Checkouts create customers beyond this limit, so that no shopper is refused.
  if ((await countCustomers(trx, storeId)) + all.length > storeLimits.customers)
    throw all.length > 1 ? new WriteAlone() : errors.too_many_customers();
  const customers = all.map(({ trace, ...customer }) => ({
    ...customer,
    event: createEmission(trx, CustomerCreated, trace),
  }));
  return insertCustomers(trx, storeId, customers, new Date());
}

/**
 * Replaces a customer. Omitted fields fall back to their defaults, except values of custom fields. A replacement that
 * changes nothing emits nothing. Returns the `{ customer }` envelope as JSON.
 * @throws not_found, duplicate_email
 */
export function replaceCustomer(
  { trx, emit }: Write,
  storeId: string,
  id: string,
  input: CustomerInput,
  change: ValuesChange,
): Promise<string> {
  const replace = async () => {
    const current = await lockCustomer(trx, storeId, id);
    if (!current) throw errors.not_found();
    const next = createState(input, applyChange(current.customFields, change));
    if (sameState(current, next)) return (await findCustomerEnvelope(trx, storeId, id))!;
    await updateCustomer(trx, storeId, id, next, new Date());
    const json = await findCustomerEnvelope(trx, storeId, id);
    await emit(CustomerUpdated, storeId, { json: json! });
    return json!;
  };
  return translateEmailConflict(replace());
}

/**
 * Deletes a customer with its note and emits `customer.deleted`. The customer's orders keep their data.
 * @throws not_found
 */
export async function deleteCustomer({ trx, emit }: Write, storeId: string, id: string): Promise<void> {
  if (!(await deleteCustomerRow(trx, storeId, id))) throw errors.not_found();
  await uncountCustomer(trx, storeId);
  await emit(CustomerDeleted, storeId, { customer: { id } });
}

/** Returns an address with all fields; omitted ones are empty. */
export function toAddress(input: AddressInput): Address {
  const { name = '', line1 = '', line2 = '', city = '', region = '', postalCode = '', country = '' } = input;
  return { name, line1, line2, city, region, postalCode, country };
}

function createState(
  { email, name, phone, tags, addresses }: CustomerInput,
  customFields: CustomerState['customFields'],
): CustomerState {
  return {
    email: email.toLowerCase(),
    name: name ?? '',
    phone: phone ?? null,
    tags: tags ?? [],
    addresses: (addresses ?? []).map(toAddress),
    customFields,
  };
}

function sameState(a: CustomerState, b: CustomerState): boolean {
  const comparable = ({ email, name, phone, tags, addresses, customFields }: CustomerState) =>
    JSON.stringify([email, name, phone, tags, addresses.map(toAddress), customFields]);
  return comparable(a) === comparable(b);
}

async function translateEmailConflict<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (violatedConstraint(error) === 'customer_email_key') throw errors.duplicate_email();
    throw error;
  }
}
