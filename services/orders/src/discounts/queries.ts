import type { Discount, DiscountCode } from '@waybill/contracts';
import {
  bare,
  byTime,
  changedAt,
  encoded,
  encodedOrNull,
  jsonObject,
  type ListItem,
  type ListRead,
  orderBy,
  parsePage,
  prepare,
  quoted,
  rangesAfter,
  readItems,
  readMatches,
  searchText,
  splitWords,
  timestamp,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { CodesQuery, ListQuery } from './routes.ts';

type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;

/** The fields of a discount that its column `terms` contains. */
export type DiscountTerms = Pick<
  Discount,
  'percent' | 'amountCents' | 'appliesTo' | 'minimum' | 'buy' | 'get'
>;

/** A discount as the service writes it, with instants as Dates. */
export interface DiscountState
  extends Pick<Discount, 'title' | 'code' | 'status' | 'kind' | 'limits' | 'isCombinable'> {
  startsAt: Date | null;
  endsAt: Date | null;
  terms: DiscountTerms;
}

const instantOrNull = (column: string) =>
  bare(`case when ${column} is null then 'null' else '"' || ${timestamp(column)} || '"' end`);
const term = (name: keyof DiscountTerms) => bare(`coalesce((d.terms -> '${name}')::text, 'null')`);
const numberOrNull = (column: string) => bare(`coalesce(${column}::text, 'null')`);

/** SQL of the public JSON of a `discount` row `d`. */
const discountJson = jsonObject({
  id: quoted('d.id'),
  title: encoded('d.title'),
  code: encodedOrNull('d.code'),
  status: quoted('d.status'),
  startsAt: instantOrNull('d.starts_at'),
  endsAt: instantOrNull('d.ends_at'),
  kind: quoted('d.kind'),
  percent: term('percent'),
  amountCents: term('amountCents'),
  appliesTo: term('appliesTo'),
  minimum: term('minimum'),
  buy: term('buy'),
  get: term('get'),
  limits: bare(
    jsonObject({ total: numberOrNull('d.total_limit'), perCustomer: numberOrNull('d.customer_limit') }),
  ),
  isCombinable: encoded('d.is_combinable'),
  usedCount: bare('d.used_count'),
  createdAt: quoted(timestamp('d.created_at')),
  updatedAt: quoted(timestamp('d.updated_at')),
});

const findEnvelope = prepare<{ json: string }>(
  'discount-find',
  `select ${jsonObject({ discount: bare(discountJson) })} as json
   from discount d where d.store_id = $1 and d.id = $2`,
);

/** Returns the `{ discount }` envelope as JSON, or null if the store has no such discount. */
export async function findDiscountEnvelope(db: Db, storeId: string, id: string): Promise<string | null> {
  const { rows } = await db.executeQuery(findEnvelope([storeId, id]));
  return rows[0]?.json ?? null;
}

const listed: ListItem = { name: 'discount', table: 'discount', alias: 'd', json: () => discountJson };

/**
 * Returns a page of the store's discounts, newest first.
 * @throws invalid_cursor
 */
export async function listDiscounts(db: Db, storeId: string, query: ListQuery): Promise<ListRead> {
  const page = parsePage('discounts', [storeId], query, byTime('desc'));
  const words = splitWords(query.q);
  if (words.length > 0 || query.status) {
    const values = { storeId, status: query.status ?? null };
    return readMatches<typeof values>(db, listed, page, {
      kind: 'matching',
      words,
      values,
      filter: ($) => `and d.status = coalesce(${$.status}::text, d.status)`,
    });
  }
  return readItems(db, listed, page, {
    kind: 'all',
    values: { storeId },
    total: ($) => `(select count(*) from discount where store_id = ${$.storeId})`,
  });
}

const toColumns = ({
  title,
  code,
  status,
  startsAt,
  endsAt,
  kind,
  terms,
  limits,
  isCombinable,
}: DiscountState) => ({
  title,
  code,
  status,
  starts_at: startsAt,
  ends_at: endsAt,
  kind,
  terms: sql<never>`${JSON.stringify(terms)}::json`,
  is_combinable: isCombinable,
  total_limit: limits.total,
  customer_limit: limits.perCustomer,
  search: searchText(title, code ?? ''),
});

/** Inserts a discount without its codes. */
export async function insertDiscount(
  trx: Trx,
  storeId: string,
  id: string,
  state: DiscountState,
  now: Date,
): Promise<void> {
  await trx
    .insertInto('discount')
    .values({ store_id: storeId, id, ...toColumns(state), created_at: now, updated_at: now })
    .execute();
}

/** Replaces the fields of a discount, without its codes. */
export async function updateDiscount(
  trx: Trx,
  storeId: string,
  id: string,
  state: DiscountState,
): Promise<void> {
  await trx
    .updateTable('discount')
    .set({ ...toColumns(state), updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

export interface LockedDiscount extends DiscountState {
  hasCodes: boolean;
}

/** Reads a discount and locks it until the transaction ends. Returns null if the store has no such discount. */
export async function lockDiscount(trx: Trx, storeId: string, id: string): Promise<LockedDiscount | null> {
  const row = await trx
    .selectFrom('discount')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return null;
  return {
    title: row.title,
    code: row.code,
    status: row.status as Discount['status'],
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    kind: row.kind as Discount['kind'],
    terms: row.terms as DiscountTerms,
    limits: { total: row.total_limit, perCustomer: row.customer_limit },
    isCombinable: row.is_combinable,
    hasCodes: row.has_codes,
  };
}

/** Deletes a discount with its codes and uses. Returns whether it existed. */
export async function deleteDiscountRows(trx: Trx, storeId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('discount')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  for (const table of ['discount_code', 'discount_use'] as const)
    await trx.deleteFrom(table).where('store_id', '=', storeId).where('discount_id', '=', id).execute();
  return numDeletedRows > 0n;
}

/** Counts a store's discounts. */
export async function countDiscounts(db: Db, storeId: string): Promise<number> {
  const { count } = await db
    .selectFrom('discount')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Inserts the code that shoppers type for a discount. Throws if the store already has that code. */
export async function insertCode(
  trx: Trx,
  storeId: string,
  discountId: string,
  { key, code }: { key: string; code: string },
): Promise<void> {
  await trx
    .insertInto('discount_code')
    .values({
      store_id: storeId,
      id: key,
      discount_id: discountId,
      code,
      is_single: false,
      created_at: new Date(),
    })
    .execute();
}

/** Deletes the code that shoppers type for a discount. */
export async function deleteSharedCode(trx: Trx, storeId: string, discountId: string): Promise<void> {
  await trx
    .deleteFrom('discount_code')
    .where('store_id', '=', storeId)
    .where('discount_id', '=', discountId)
    .where('is_single', '=', false)
    .execute();
}

/** Counts a discount's single-use codes, up to a limit. */
export async function countCodes(trx: Trx, storeId: string, discountId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('discount_code')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('store_id', '=', storeId)
    .where('discount_id', '=', discountId)
    .where('is_single', '=', true)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Inserts single-use codes. Returns those that the store did not have before. */
export async function insertSingleCodes(
  trx: Trx,
  storeId: string,
  discountId: string,
  codes: readonly { key: string; code: string }[],
): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    insert into discount_code (store_id, id, discount_id, code, is_single, created_at)
    select ${storeId}, c.id, ${discountId}, c.code, true, ${new Date()}
    from unnest(${codes.map(({ key }) => key)}::text[], ${codes.map(({ code }) => code)}::text[]) as c (id, code)
    on conflict do nothing
    returning code`.execute(trx);
  return rows.map(({ code }) => code);
}

/** Records that a discount has codes, so that it no longer applies automatically. */
export async function markHasCodes(trx: Trx, storeId: string, id: string): Promise<void> {
  await trx
    .updateTable('discount')
    .set({ has_codes: true })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Deletes a single-use code. Returns whether it existed. */
export async function deleteSingleCode(
  trx: Trx,
  storeId: string,
  discountId: string,
  key: string,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('discount_code')
    .where('store_id', '=', storeId)
    .where('discount_id', '=', discountId)
    .where('id', '=', key)
    .where('is_single', '=', true)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

const codeJson = jsonObject({
  code: encoded('c.code'),
  usedAt: instantOrNull('c.used_at'),
  orderId: encodedOrNull('c.order_id'),
} satisfies Record<keyof DiscountCode, unknown>);

const listedCodes: ListItem<{ storeId: string; discountId: string; used: string | null }> = {
  name: 'discount-code',
  table: 'discount_code',
  alias: 'c',
  json: () => codeJson,
};

const ofDiscount = ($: { discountId: string; used: string }) =>
  `discount_id = ${$.discountId} and is_single
   and (${$.used}::text is null or (order_id is not null) = (${$.used}::text = 'true'))`;

/**
 * Returns a page of a discount's single-use codes, oldest first.
 * @throws invalid_cursor
 */
export async function listCodes(
  db: Db,
  storeId: string,
  discountId: string,
  query: CodesQuery,
): Promise<ListRead> {
  const page = parsePage('discount-codes', [storeId, discountId], query, byTime('asc'));
  return readItems(db, listedCodes, page, {
    kind: 'all',
    values: { storeId, discountId, used: query.used ?? null },
    rows: ($, { after, page: { order }, limits }) =>
      `select id, created_at from discount_code c
       where store_id = ${$.storeId} and ${ofDiscount($)} and (${rangesAfter(order, after).join(' or ')}) ${orderBy(order)} ${limits}`,
    total: ($) => `(select count(*) from discount_code where store_id = ${$.storeId} and ${ofDiscount($)})`,
  });
}
