import { type Customer, foldText } from '@waybill/contracts';
import { customFieldsJson } from '@waybill/custom-fields';
import {
  bare,
  changedAt,
  createStoreIndexCheck,
  defineSearch,
  type Emission,
  encoded,
  encodedOrNull,
  insertEmissions,
  jsonObject,
  type ListItem,
  type ListRead,
  parsePage,
  prepare,
  quoted,
  readItems,
  readMatches,
  type SearchIndex,
  type SortKey,
  searchText,
  sortedBy,
  splitWords,
  timestamp,
  trigramShares,
  withinStore,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** The stored fields of a customer, without computed ones and the note. Values are by the ids of definitions. */
export type CustomerState = Pick<
  Customer,
  'email' | 'name' | 'phone' | 'tags' | 'addresses' | 'customFields'
>;

/** SQL of the public JSON of a `customer` row `c`, which never includes the note. */
const customerJson = jsonObject({
  id: quoted('c.id'),
  email: encoded('c.email'),
  name: encoded('c.name'),
  phone: encodedOrNull('c.phone'),
  tags: encoded('c.tags'),
  addresses: bare('c.addresses'),
  customFields: bare(customFieldsJson('c')),
  ordersCount: bare('c.orders_count'),
  totalSpentCents: bare('c.total_spent_cents'),
  createdAt: quoted(timestamp('c.created_at')),
  updatedAt: quoted(timestamp('c.updated_at')),
});

/** SQL of the `{ customer }` envelope of a `customer` row `c`. */
export const customerEnvelope = jsonObject({ customer: bare(customerJson) });

const findEnvelope = prepare<{ json: string }>(
  'customer-find',
  withinStore(
    '$1',
    `select ${customerEnvelope} as json
   from customer c where c.store_id = $1 and c.id = $2`,
  ),
);

/** Returns the `{ customer }` envelope as JSON, or null if the store has no such customer. */
export async function findCustomerEnvelope(db: Db, storeId: string, id: string): Promise<string | null> {
  const { rows } = await db.executeQuery(findEnvelope([storeId, id]));
  return rows[0]?.json ?? null;
}

const sortKeys: Readonly<Record<ListQuery['sort'], Omit<SortKey, 'dir'>>> = {
  created: { column: 'created_at', type: 'timestamptz' },
  name: { column: 'name_key', type: 'text' },
  email: { column: 'email', type: 'text' },
};

const listed: ListItem = { name: 'customer', table: 'customer', alias: 'c', json: () => customerJson };

const count = ($: { storeId: string }) => `select customers from store_total where store_id = ${$.storeId}`;
const index: SearchIndex = {
  startsFromStore: createStoreIndexCheck('customer', count),
  readShares: trigramShares('customer_trigrams'),
};

/**
 * Returns a page of the store's customers, and their total number.
 * @throws invalid_cursor
 */
export async function listCustomers(db: Db, storeId: string, query: ListQuery): Promise<ListRead> {
  const page = parsePage('customers', [storeId], query, sortedBy(sortKeys, query, 'email'));
  const of = { kind: `${query.sort}-${query.dir}`, values: { storeId } };
  const words = splitWords(query.q);
  if (words.length > 0) return readMatches(db, listed, page, { ...of, words, index });
  return readItems(db, listed, page, { ...of, total: ($) => `coalesce((${count($)}), 0)` });
}

/** Finds customers for the search over everything. */
export const searchCustomers = defineSearch({
  type: 'customer',
  table: 'customer',
  text: 't.search',
  title: 't.name',
  subtitle: 't.email',
  index,
});

/** Computes the columns for sorting and searching. */
function derivedColumns(person: Pick<CustomerState, 'email' | 'name' | 'phone'>) {
  const { email, name, phone } = person;
  return { name_key: foldText(name), search: searchText(name, email, phone ?? '') };
}

/** The same columns under names that are unique in a statement that also inserts other rows. */
export function customerColumns(person: Pick<CustomerState, 'email' | 'name' | 'phone'>) {
  const { name_key, search } = derivedColumns(person);
  return { name_key, customer_search: search };
}

/** A customer to insert, with the parts of its event that the statement does not produce. */
export interface NewCustomer {
  id: string;
  state: CustomerState;
  event: Emission;
}

// A statement cannot read the rows that it inserts, so the JSON uses the rows that the insertion returns.
const insert = prepare<{ json: string }, { storeId: string; rows: string; now: Date }>(
  'customer-insert',
  ($) =>
    withinStore(
      $.storeId,
      `with incoming as materialized (
     select * from rows from (json_to_recordset(${$.rows}) as (
       id text, email text, name text, name_key text, phone text, tags text[], addresses json,
       custom_fields jsonb, search text,
       event_id text, event_name text, event_trace text
     )) with ordinality as i (id, email, name, name_key, phone, tags, addresses, custom_fields, search,
       event_id, event_name, event_trace, ordinal)
   ), c as (
     insert into customer (store_id, id, email, name, name_key, phone, tags, addresses, custom_fields, search,
       created_at, updated_at)
     select ${$.storeId}, id, email, name, name_key, phone, tags, addresses, custom_fields, search, ${$.now}, ${$.now}
     from incoming
     returning *
   ), counted as (
     insert into store_total as t (store_id, customers) select ${$.storeId}, count(*) from c
     on conflict (store_id) do update set customers = t.customers + excluded.customers
   ), emitted as (
     select i.event_id, i.event_name, i.event_trace, i.ordinal, c.store_id, ${customerEnvelope} as json
     from c join incoming i on i.id = c.id
   ), event as (${insertEmissions('emitted')})
   select json from emitted order by ordinal`,
    ),
);

/**
 * Inserts customers with their events and counts them. Returns the `{ customer }` envelope of each as JSON, which is
 * also the data of its event.
 */
export async function insertCustomers(
  trx: Trx,
  storeId: string,
  customers: readonly NewCustomer[],
  now: Date,
): Promise<string[]> {
  const all = customers.map(({ id, state, event }) => ({
    id,
    ...state,
    custom_fields: state.customFields,
    ...derivedColumns(state),
    ...event,
  }));
  const { rows } = await trx.executeQuery(insert({ storeId, rows: JSON.stringify(all), now }));
  return rows.map(({ json }) => json);
}

/** Returns how many customers a store has, from its counter. */
export async function countCustomers(db: Db, storeId: string): Promise<number> {
  const total = await db
    .selectFrom('store_total')
    .select('customers')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return total?.customers ?? 0;
}

/** Reads a customer and locks it until the transaction ends. Returns null if the store has no such customer. */
export async function lockCustomer(trx: Trx, storeId: string, id: string): Promise<CustomerState | null> {
  const row = await trx
    .selectFrom('customer')
    .select(['email', 'name', 'phone', 'tags', 'addresses', 'custom_fields as customFields'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Replaces the fields of a customer. The totals of orders and the note stay. */
export async function updateCustomer(
  trx: Trx,
  storeId: string,
  id: string,
  state: CustomerState,
  now: Date,
): Promise<void> {
  const { email, name, phone, tags, addresses, customFields } = state;
  await trx
    .updateTable('customer')
    .set({ email, name, phone, tags, updated_at: changedAt(now), ...derivedColumns(state) })
    .set({
      addresses: sql`${JSON.stringify(addresses)}::json`,
      custom_fields: sql`${JSON.stringify(customFields)}::jsonb`,
    })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Changes the totals of a customer's orders. Does nothing for a deleted customer. */
export async function countForCustomer(
  trx: Trx,
  storeId: string,
  id: string,
  by: { orders: number; spentCents: number },
): Promise<void> {
  if (by.orders === 0 && by.spentCents === 0) return;
  await trx
    .updateTable('customer')
    .set((eb) => ({
      orders_count: eb('orders_count', '+', by.orders),
      total_spent_cents: sql`total_spent_cents + ${by.spentCents}::bigint`,
    }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Deletes a customer. Returns whether it existed. */
export async function deleteCustomerRow(trx: Trx, storeId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('customer')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Decrements the number of a store's customers. */
export async function uncountCustomer(trx: Trx, storeId: string): Promise<void> {
  await trx
    .insertInto('store_total')
    .values({ store_id: storeId, customers: -1 })
    .onConflict((conflict) =>
      conflict.column('store_id').doUpdateSet({ customers: sql`store_total.customers + excluded.customers` }),
    )
    .execute();
}

/** Returns the merchant's note on a customer, which may be empty, or null if the store has no such customer. */
export async function findNote(db: Db, storeId: string, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('customer')
    .select('note')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.note ?? null;
}

/** Stores the note and returns it, or returns null if the store has no such customer. */
export async function updateNote(db: Db, storeId: string, id: string, note: string): Promise<string | null> {
  const row = await db
    .updateTable('customer')
    .set({ note })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returning('note')
    .executeTakeFirst();
  return row?.note ?? null;
}
