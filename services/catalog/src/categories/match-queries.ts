import type { CategoryRule } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { PreviewedProduct } from './routes.ts';
import type { ProductFactsForRules } from './rules.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A rule, and the category that it is of. */
export interface StoredRule {
  storeId: string;
  id: string;
  rule: CategoryRule;
}

export interface ClaimedRule extends StoredRule {
  claimedUntil: Date;
}

const claimedForMs = 60_000;
const claimedAtOnce = 10;

const due = prepare<StoredRule & { matchAt: Date }>(
  'category-match-due',
  `select store_id as "storeId", id, rule, match_at as "matchAt" from category
   where match_at <= $1 order by match_at limit ${claimedAtOnce}`,
);

/** Takes some rules whose members are to be found anew; nobody else takes them for a minute. */
export async function claimDueRules(db: Db, now: Date): Promise<ClaimedRule[]> {
  const { rows } = await db.executeQuery(due([now]));
  const claimedUntil = new Date(now.getTime() + claimedForMs);
  const claimed: ClaimedRule[] = [];
  for (const { storeId, id, rule, matchAt } of rows)
    if (await setMatchAt(db, storeId, id, matchAt, claimedUntil))
      claimed.push({ storeId, id, rule, claimedUntil });
  return claimed;
}

/** Sets when a rule's members are to be found anew, unless somebody has set it meanwhile; whether it was done. */
async function setMatchAt(
  db: Db,
  storeId: string,
  id: string,
  from: Date,
  to: Date | null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('category')
    .set({ match_at: to })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('match_at', '=', from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Keeps a rule for those who have it; null: it was changed, or is somebody else's. */
export async function renewClaim(
  db: Db,
  storeId: string,
  id: string,
  claimedUntil: Date,
): Promise<Date | null> {
  const now = Date.now();
  if (claimedUntil.getTime() - now > claimedForMs / 2) return claimedUntil;
  const renewed = new Date(now + claimedForMs);
  return (await setMatchAt(db, storeId, id, claimedUntil, renewed)) ? renewed : null;
}

/** Notes that a rule's members are right, and when they are to be found anew; not where it has changed meanwhile. */
export async function finishRule(
  db: Db,
  storeId: string,
  id: string,
  claimedUntil: Date,
  next: Date | null,
): Promise<void> {
  await setMatchAt(db, storeId, id, claimedUntil, next);
}

/** One process at a time writes the members of a store's rules: an older one would write over a newer one. */
export async function lockMatching(trx: Trx, storeId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`match ${storeId}`}, 0))`.execute(trx);
}

const rules = prepare<{ id: string; rule: CategoryRule }>(
  'category-rules',
  `select id, rule from category
   where store_id = $1 and kind = 'rule' and ($2::text[] is null or id = any($2)) for share`,
);

/** The rules of a store, or those of some categories. They do not change until the transaction ends. */
export async function readRules(trx: Trx, storeId: string, ids: readonly string[] | null = null) {
  return (await trx.executeQuery(rules([storeId, ids]))).rows;
}

const facts = `p.id, p.name, p.vendor, p.tags, p.price_cents as "priceCents", p.total_stock as stock,
  p.created_at as "createdAt", p.custom_fields as "customFields", array(
    select c.category_id from category_product c
    where c.store_id = p.store_id and c.product_id = p.id and c.position is not null
  ) as "categoryIds"`;

const factsOf = prepare<ProductFactsForRules>(
  'category-facts',
  `select ${facts} from product p where p.store_id = $1 and p.id = any($2::text[])`,
);
const factsAfter = prepare<ProductFactsForRules>(
  'category-facts-after',
  `select ${facts} from product p where p.store_id = $1 and p.id > $2 order by p.id limit $3`,
);

/** What rules look at of some products. */
export async function readFacts(trx: Trx, storeId: string, ids: readonly string[]) {
  return (await trx.executeQuery(factsOf([storeId, ids]))).rows;
}

/** The same of the products that follow an id. */
export async function readFactsAfter(db: Db, storeId: string, after: string, limit: number) {
  return (await db.executeQuery(factsAfter([storeId, after, limit]))).rows;
}

const previewed = prepare<PreviewedProduct>(
  'category-previewed',
  `select p.id, p.name, p.status, p.media_ids[1] as "imageMediaId"
   from product p where p.store_id = $1 and p.id = any($2::text[]) order by p.id`,
);

/** What a preview of a rule shows of some products. */
export async function readPreviewed(db: Db, storeId: string, ids: readonly string[]) {
  return (await db.executeQuery(previewed([storeId, ids]))).rows;
}

const replace = prepare<{ id: string }>(
  'category-matches',
  `with wanted as materialized (
     select * from unnest($4::text[], $5::text[]) as w (category_id, product_id)
   ), gone as (
     delete from category_product c
     where c.store_id = $1 and c.product_id = any($3::text[]) and c.category_id = any($2::text[])
       and not exists (
         select from wanted w where w.category_id = c.category_id and w.product_id = c.product_id
       )
     returning c.category_id
   ), added as (
   insert into category_product (store_id, category_id, product_id)
   select $1, w.category_id, w.product_id
   from wanted w join product p on p.store_id = $1 and p.id = w.product_id
   where not exists (
     select from category_product c
     where c.store_id = $1 and c.category_id = w.category_id and c.product_id = w.product_id
   )
   order by w.product_id
   for key share of p
   on conflict do nothing
   returning category_id
   )
   update category set members_revision = members_revision + 1
   where store_id = $1 and id in (select category_id from gone union select category_id from added)
   returning id`,
);

/**
 * Makes these products members of those of these categories that they match, and of no other of them; gives the
 * categories that contain others than before.
 */
export async function replaceMatches(
  trx: Trx,
  storeId: string,
  categoryIds: readonly string[],
  productIds: readonly string[],
  matches: readonly { categoryId: string; productId: string }[],
): Promise<string[]> {
  if (categoryIds.length === 0 || productIds.length === 0) return [];
  const { rows } = await trx.executeQuery(
    replace([
      storeId,
      categoryIds,
      productIds,
      matches.map(({ categoryId }) => categoryId),
      matches.map(({ productId }) => productId),
    ]),
  );
  return rows.map(({ id }) => id);
}

/** More than these at once are looked at in the turns that follow. */
const changedAtOnce = 50_000;

export interface ChangedProduct {
  storeId: string;
  id: string;
  status: string;
  updatedAt: Date;
}

const changedOfStatus = (status: string) => `(
  select id, status, updated_at from product
  where store_id = t.store_id and status = '${status}'
    and updated_at > t.checked_until - make_interval(secs => $1::float8)
  order by updated_at limit ${changedAtOnce}
)`;
const changed = prepare<ChangedProduct>(
  'category-changed-products',
  `select t.store_id as "storeId", p.id, p.status, p.updated_at as "updatedAt"
   from category_total t
   cross join lateral (${['draft', 'active', 'archived'].map(changedOfStatus).join(' union all ')}) p
   where t.rules > 0`,
);

/**
 * The products that changed since they were looked at last, of stores that have rules; some of them twice. `until` is how
 * far that is all of them.
 */
export async function findChangedProducts(db: Db, overlapMs: number, now: Date) {
  const { rows } = await db.executeQuery(changed([overlapMs / 1000]));
  const cutOff = [...Map.groupBy(rows, ({ storeId, status }) => `${storeId} ${status}`).values()].flatMap(
    (each) => (each.length === changedAtOnce ? each.at(-1)!.updatedAt : []),
  );
  const until = new Date(Math.min(now.getTime(), ...cutOff.map((instant) => instant.getTime())));
  return { changed: rows, until };
}

/** Notes that the changes until an instant have been looked at, where that is not noted for so long; but of some stores. */
export async function noteChecked(
  db: Db,
  until: Date,
  afterMs: number,
  except: readonly string[],
): Promise<void> {
  await db
    .updateTable('category_total')
    .set({ checked_until: until })
    .where('rules', '>', 0)
    .where('checked_until', '<', new Date(until.getTime() - afterMs))
    .where(sql<boolean>`store_id <> all(${except}::text[])`)
    .execute();
}
