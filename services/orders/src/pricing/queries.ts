import type { Discount, ShippingZone, Taxes } from '@waybill/contracts';
import { type Columns, type OfStore, type Placeholders, prepare } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { DiscountTerms } from '../discounts/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;

/** A discount as pricing reads it. Instants are milliseconds since 1970. */
export interface StoredDiscount
  extends Pick<Discount, 'id' | 'title' | 'code' | 'status' | 'kind' | 'isCombinable'> {
  startsAt: number | null;
  endsAt: number | null;
  terms: DiscountTerms;
  hasCodes: boolean;
  totalLimit: number | null;
  customerLimit: number | null;
  usedCount: number;
  createdAt: number;
}

/** A typed code that belongs to a discount. */
export interface MatchedCode {
  /** Folded. */
  key: string;
  code: string;
  isSingle: boolean;
  isUsed: boolean;
  discount: StoredDiscount;
}

/** A store's rules as read for a cart. */
export interface PricingRules {
  taxes: Taxes | null;
  zones: ShippingZone[];
  /** Discounts that apply automatically, oldest first. */
  automatic: StoredDiscount[];
  /** Whether the store has any codes to type. */
  hasCodes: boolean;
  typed: MatchedCode[];
  /** How often the customer has used discounts with a limit per customer. */
  uses: { id: string; uses: number }[];
}

/**
 * The typed codes, folded, and the customer's address in lower case, which determine the rules to read. An empty
 * address reads no uses.
 */
export interface RulesQuery {
  codes: readonly string[];
  email: string;
}

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;

const discountJson = `json_build_object('id', d.id, 'title', d.title, 'code', d.code, 'status', d.status,
  'startsAt', ${millis('d.starts_at')}, 'endsAt', ${millis('d.ends_at')}, 'kind', d.kind, 'terms', d.terms,
  'isCombinable', d.is_combinable, 'hasCodes', d.has_codes, 'totalLimit', d.total_limit,
  'customerLimit', d.customer_limit, 'usedCount', d.used_count, 'createdAt', ${millis('d.created_at')})`;

/** Parameters of a statement that reads rules: for each cart a JSON array of codes, and the address. */
interface RulesValues extends OfStore {
  codes: readonly string[];
  emails: readonly string[];
}

const rulesValues = (requested: readonly RulesQuery[]): Omit<RulesValues, 'storeId'> => ({
  codes: requested.map(({ codes }) => JSON.stringify(codes)),
  emails: requested.map(({ email }) => email),
});

/** Returns the first part of a statement that reads rules; `rulesColumns` uses it for each cart `requested`. */
export const rulesOfStore = ($: Placeholders<OfStore>): string => `automatic as materialized (
     select d.* from discount d
     where d.store_id = ${$.storeId} and d.code is null and not d.has_codes and d.status = 'active'
   )`;

/**
 * Returns the columns of a cart: its codes and its customer's uses, and in the first row the rules that all carts
 * share. `requested` has `codes`, `email` and `ordinal`.
 */
export const rulesColumns = ($: Placeholders<OfStore>): string => `
   case when requested.ordinal = 1 then json_build_object(
     'taxes', (select taxes from pricing_rule where store_id = ${$.storeId}),
     'zones', coalesce((select zones from pricing_rule where store_id = ${$.storeId}), '[]'),
     'automatic', (select coalesce(json_agg(${discountJson} order by d.created_at, d.id), '[]') from automatic d),
     'hasCodes', exists (select from discount_code where store_id = ${$.storeId})
   ) end as rules,
   case when json_array_length(requested.codes) > 0 then (
     select json_agg(json_build_object('key', c.id, 'code', c.code, 'isSingle', c.is_single,
       'isUsed', c.order_id is not null, 'discount', ${discountJson}))
     from json_array_elements_text(requested.codes) typed
     join discount_code c on c.store_id = ${$.storeId} and c.id = typed
     join discount d on d.store_id = c.store_id and d.id = c.discount_id
   ) end as typed,
   case when requested.email <> '' then (
     select json_agg(json_build_object('id', d.id, 'uses', (
       select count(*) from discount_use u
       where u.store_id = ${$.storeId} and u.discount_id = d.id and u.email = requested.email
     ))) from (
       select id from automatic where customer_limit is not null
       union
       select d.id from json_array_elements_text(requested.codes) typed
       join discount_code c on c.store_id = ${$.storeId} and c.id = typed
       join discount d on d.store_id = c.store_id and d.id = c.discount_id
       where d.customer_limit is not null
     ) d
   ) end as uses`;

export interface RulesRow {
  rules: Pick<PricingRules, 'taxes' | 'zones' | 'automatic' | 'hasCodes'> | null;
  typed: MatchedCode[] | null;
  uses: PricingRules['uses'] | null;
}

/** Builds the rules of each cart from the rows of a statement. */
export const toRules = (rows: readonly RulesRow[]): PricingRules[] =>
  rows.map(({ typed, uses }) => ({ ...rows[0]!.rules!, typed: typed ?? [], uses: uses ?? [] }));

const read = prepare<RulesRow, RulesValues>(
  'pricing-read',
  ($) => `with ${rulesOfStore($)}
   select ${rulesColumns($)}
   from unnest(${$.codes}::json[], ${$.emails}::text[]) with ordinality requested (codes, email, ordinal)
   order by requested.ordinal`,
);

/** Reads a store's rules for several carts, in their order. */
export async function readRules(
  db: Db,
  storeId: string,
  requested: readonly RulesQuery[],
): Promise<PricingRules[]> {
  const { rows } = await db.executeQuery(read({ storeId, ...rulesValues(requested) }));
  return toRules(rows);
}

export interface StoredRules extends Pick<Columns<Tables['pricing_rule'], { zones: 'zones' }>, 'zones'> {
  taxes: Taxes | null;
}

/** Reads the rules that a store has saved. */
export async function findRules(db: Db, storeId: string): Promise<StoredRules> {
  const row = await db
    .selectFrom('pricing_rule')
    .select(['taxes', 'zones'])
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return { taxes: (row?.taxes as Taxes | null | undefined) ?? null, zones: row?.zones ?? [] };
}

/** Reads the rules and locks them until the transaction ends. */
export async function lockRules(trx: Trx, storeId: string): Promise<StoredRules> {
  await trx
    .insertInto('pricing_rule')
    .values({ store_id: storeId, updated_at: new Date() })
    .onConflict((conflict) => conflict.column('store_id').doNothing())
    .execute();
  const row = await trx
    .selectFrom('pricing_rule')
    .select(['taxes', 'zones'])
    .where('store_id', '=', storeId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { taxes: row.taxes as Taxes | null, zones: row.zones };
}

/** Stores a store's taxes or its shipping zones. */
export async function updateRules(
  trx: Trx,
  storeId: string,
  change: { taxes: Taxes } | { zones: ShippingZone[] },
): Promise<void> {
  const set =
    'taxes' in change
      ? { taxes: sql<never>`${JSON.stringify(change.taxes)}::json` }
      : { zones: sql<never>`${JSON.stringify(change.zones)}::json` };
  await trx
    .updateTable('pricing_rule')
    .set({ ...set, updated_at: new Date() })
    .where('store_id', '=', storeId)
    .execute();
}
