import type { CategoryRule } from '@waybill/contracts';
import { prepare, withinStore } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { PreviewedProduct } from './routes.ts';
import type { ProductFactsForRules } from './rules.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** How long a process owns the rules that it claims. It renews the claim while it works. */
const claimedForMs = 20_000;
/** Maximum number of a store's rules in one claim. Later claims take the rest. */
const maxClaimedRules = 100;

/**
 * SQL condition: a rule is due if it changed, or if a product has left it through the passing of time and no process
 * has claimed it.
 */
const isDue = (now: string) => `(match_at <= ${now} or (match_at is null and passes_at <= ${now}))`;

const dueStores = prepare<{ storeId: string }>(
  'category-match-stores',
  `select store_id as "storeId" from category where ${isDue('$1')} and store_id <> all($2::text[])
   group by store_id order by min(coalesce(match_at, passes_at)) limit $3`,
);

/** Lists stores with due rules, except the given ones. The store that has waited longest comes first. */
export async function findDueStores(
  db: Db,
  now: Date,
  except: readonly string[],
  limit: number,
): Promise<string[]> {
  return (await db.executeQuery(dueStores([now, except, limit]))).rows.map(({ storeId }) => storeId);
}

const claim = prepare<{ id: string }>(
  'category-match-claim',
  `with due as materialized (
     select id from category where store_id = $1 and kind = 'rule' and ${isDue('$2')}
     order by match_at nulls last, passes_at limit ${maxClaimedRules}
     for no key update skip locked
   )
   update category set match_at = $3, passes_at = null
   where store_id = $1 and id in (select id from due)
   returning id`,
);

/** Claims a store's due rules, changed ones first. No other process takes them until the claim ends. */
export async function claimDueRules(
  db: Db,
  storeId: string,
  now: Date,
): Promise<{ ids: string[]; claimedUntil: Date }> {
  const claimedUntil = new Date(now.getTime() + claimedForMs);
  const { rows } = await db.executeQuery(claim([storeId, now, claimedUntil]));
  return { ids: rows.map(({ id }) => id), claimedUntil };
}

/** Renews a claim that ends soon, and returns its new end. Skips rules that changed since they were claimed. */
export async function renewClaim(
  db: Db,
  storeId: string,
  ids: readonly string[],
  claimedUntil: Date,
): Promise<Date> {
  const now = Date.now();
  if (ids.length === 0 || claimedUntil.getTime() - now > claimedForMs / 2) return claimedUntil;
  const renewed = new Date(now + claimedForMs);
  await db
    .updateTable('category')
    .set({ match_at: renewed })
    .where('store_id', '=', storeId)
    .where('id', 'in', ids)
    .where('match_at', '=', claimedUntil)
    .execute();
  return renewed;
}

const finish = prepare(
  'category-match-finish',
  `update category c set match_at = null, passes_at = least(c.passes_at, f.passes_at), truncated = f.truncated,
     members = case when f.truncated then c.members else f.members end
   from unnest($2::text[], $3::timestamptz[], $5::bigint[], $6::boolean[]) as f (id, passes_at, members, truncated)
   where c.store_id = $1 and c.id = f.id and c.match_at = $4`,
);

/** The result of scanning all products for a rule. */
export interface ScannedRule {
  id: string;
  /** Next instant at which the passing of time changes the members. */
  passesAt: Date | null;
  members: number;
  /** Whether some products were left out because the store reached its limit. */
  isTruncated: boolean;
}

/** Ends the claim of matched rules and stores the results. Skips rules that changed in the meantime. */
export async function saveRuleResults(
  db: Db,
  storeId: string,
  scanned: readonly ScannedRule[],
  claimedUntil: Date,
): Promise<void> {
  await db.executeQuery(
    finish([
      storeId,
      scanned.map(({ id }) => id),
      scanned.map(({ passesAt }) => passesAt?.toISOString() ?? null),
      claimedUntil,
      scanned.map(({ members }) => members),
      scanned.map(({ isTruncated }) => isTruncated),
    ]),
  );
}

const lower = prepare(
  'category-match-lower',
  `update category c set passes_at = p.passes_at from unnest($2::text[], $3::timestamptz[]) as p (id, passes_at)
   where c.store_id = $1 and c.id = p.id and (c.passes_at is null or c.passes_at > p.passes_at)`,
);

/** Stores the next instants at which time changes the members of rules, where they are earlier than the stored ones. */
export async function lowerPassesAt(
  trx: Trx,
  storeId: string,
  passesAt: ReadonlyMap<string, number>,
): Promise<void> {
  if (passesAt.size === 0) return;
  const instants = Array.from(passesAt.values(), (at) => new Date(at).toISOString());
  await trx.executeQuery(lower([storeId, [...passesAt.keys()], instants]));
}

/**
 * Lets only one process at a time write the members of a store's rules, so that older results never overwrite newer
 * ones.
 */
export async function lockMatching(trx: Trx, storeId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`match ${storeId}`}, 0))`.execute(trx);
}

/** A rule and the id of its category. */
export interface StoredRule {
  id: string;
  rule: CategoryRule;
  /** When the rule is due, or when its claim ends. */
  matchAt: Date | null;
}

const rules = prepare<StoredRule>(
  'category-rules',
  `select id, rule, match_at as "matchAt" from category
   where store_id = $1 and kind = 'rule' and ($2::text[] is null or id = any($2)) for share`,
);

/**
 * Reads a store's rules, or those of the given categories, and locks them against changes until the transaction ends.
 */
export async function readRules(trx: Trx, storeId: string, ids: readonly string[] | null = null) {
  return (await trx.executeQuery(rules([storeId, ids]))).rows;
}

const naming = prepare<{ id: string }>(
  'category-rules-naming',
  `select id from category where store_id = $1 and kind = 'rule' and rule::text like $2`,
);

/** Lists the rule categories whose rules name the given category. */
export async function findRulesNaming(trx: Trx, storeId: string, categoryId: string): Promise<string[]> {
  return (await trx.executeQuery(naming([storeId, `%"${categoryId}"%`]))).rows.map(({ id }) => id);
}

/** Marks rules as due, so that a task matches them against all products. */
export async function rematchRules(
  trx: Trx,
  storeId: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('category')
    .set({ match_at: now })
    .where('store_id', '=', storeId)
    .where('id', 'in', ids)
    .execute();
}

const facts = `p.id, p.name, p.vendor, p.tags, p.price_cents as "priceCents", p.total_stock as stock,
  p.created_at as "createdAt", p.custom_fields as "customFields", array(
    select c.category_id from category_product c
    where c.store_id = p.store_id and c.product_id = p.id and c.position is not null
  ) as "categoryIds"`;

const selectFacts = prepare<ProductFactsForRules>(
  'category-facts',
  withinStore('$1', `select ${facts} from product p where p.store_id = $1 and p.id = any($2::text[])`),
);
const factsAfter = prepare<ProductFactsForRules>(
  'category-facts-after',
  withinStore(
    '$1',
    `select ${facts} from product p where p.store_id = $1 and p.id > $2 order by p.id limit $3`,
  ),
);

/** Reads the fields of the given products that rules compare. */
export async function readFacts(trx: Trx, storeId: string, ids: readonly string[]) {
  return (await trx.executeQuery(selectFacts([storeId, ids]))).rows;
}

/** Reads the fields that rules compare of the next products after an id. */
export async function readFactsAfter(db: Db, storeId: string, after: string, limit: number) {
  return (await db.executeQuery(factsAfter([storeId, after, limit]))).rows;
}

const previewed = prepare<PreviewedProduct>(
  'category-previewed',
  `select p.id, p.name, p.status, p.media_ids[1] as "imageMediaId"
   from product p where p.store_id = $1 and p.id = any($2::text[]) order by p.id`,
);

/** Reads the fields of the given products that a rule's preview shows. */
export async function readPreviewed(db: Db, storeId: string, ids: readonly string[]) {
  return (await db.executeQuery(previewed([storeId, ids]))).rows;
}

const ruleMembers = prepare<{ members: number }>(
  'category-rule-members',
  `select coalesce(sum(members), 0)::bigint as members from category where store_id = $1 and kind = 'rule'`,
);

/** Counts the members of all rule categories of a store. A product counts once for each of its categories. */
export async function countRuleMembers(db: Db, storeId: string): Promise<number> {
  return (await db.executeQuery(ruleMembers([storeId]))).rows[0]!.members;
}

/** A category whose members changed, or would have changed if the store had not reached its limit. */
export interface MatchedCategory {
  id: string;
  isChanged: boolean;
  /** Whether some products were left out because the store reached its limit. */
  isTruncated: boolean;
}

const replace = prepare<MatchedCategory>(
  'category-matches',
  `with matches as materialized (
     select * from unnest($4::text[], $5::text[]) as m (category_id, product_id)
   ), deleted as (
     delete from category_product c
     where c.store_id = $1 and c.product_id = any($3::text[]) and c.category_id = any($2::text[])
       and not exists (
         select from matches m where m.category_id = c.category_id and m.product_id = c.product_id
       )
     returning c.category_id
   ), missing as materialized (
     -- The outer query is for Citus, which otherwise takes the columns of the locked table for those of this part.
     select category_id, product_id from (
       select m.category_id, m.product_id
       from matches m join product p on p.store_id = $1 and p.id = m.product_id
       where not exists (
         select from category_product c
         where c.store_id = $1 and c.category_id = m.category_id and c.product_id = m.product_id
       )
       order by m.product_id
       for key share of p
     ) as locked
   ), added as (
     insert into category_product (store_id, category_id, product_id)
     select $1, category_id, product_id from missing order by product_id, category_id limit $6
     on conflict do nothing
     returning category_id
   ), changed as (
     select category_id, sum(deleted) as deleted, sum(added) as added, sum(missing) as missing
     from (
       select category_id, 1 as deleted, 0 as added, 0 as missing from deleted
       union all select category_id, 0, 1, 0 from added
       union all select category_id, 0, 0, 1 from missing
     ) as one
     group by category_id
   )
   update category c set members = greatest(0, c.members + d.added - d.deleted),
     members_revision = c.members_revision + case when d.added + d.deleted > 0 then 1 else 0 end,
     truncated = c.truncated or d.missing > d.added
   from changed d
   where c.store_id = $1 and c.id = d.category_id
   returning c.id, d.added + d.deleted > 0 as "isChanged", d.missing > d.added as "isTruncated"`,
);

/**
 * Makes the given products members of exactly those of the given categories that they match, and adds at most
 * `remaining` members. Returns the affected categories.
 */
export async function replaceMatches(
  trx: Trx,
  storeId: string,
  categoryIds: readonly string[],
  productIds: readonly string[],
  matches: readonly { categoryId: string; productId: string }[],
  remaining: number,
): Promise<MatchedCategory[]> {
  if (categoryIds.length === 0 || productIds.length === 0) return [];
  const { rows } = await trx.executeQuery(
    replace([
      storeId,
      categoryIds,
      productIds,
      matches.map(({ categoryId }) => categoryId),
      matches.map(({ productId }) => productId),
      remaining,
    ]),
  );
  return rows;
}

/**
 * Maximum number of changed products in one read: per status of a store, and in total. The next read continues after
 * them.
 */
const changedOfStatusAtOnce = 1_000;
const maxChangedProducts = 20_000;

/** A product that was created or changed after a store was last checked. */
export interface ChangedProduct {
  storeId: string;
  id: string;
  status: string;
  updatedAt: Date;
}

/** A position in the order of changes. */
export interface ChangePoint {
  since: Date;
  /** Among changes at the same instant, the read continues with ids above this one. */
  id: string;
}

const changedOfStatus = (status: string) => `(
  select id, status, updated_at from product
  where store_id = t.store_id and status = '${status}' and (updated_at, id) > (
    coalesce(($2::jsonb -> t.store_id ->> 'since')::timestamptz, t.checked_until - make_interval(secs => $1::float8)),
    coalesce($2::jsonb -> t.store_id ->> 'id', '')
  )
  order by updated_at, id limit ${changedOfStatusAtOnce}
)`;
const changed = prepare<ChangedProduct>(
  'category-changed-products',
  `select t.store_id as "storeId", p.id, p.status, p.updated_at as "updatedAt"
   from category_total t
   cross join lateral (${['draft', 'active', 'archived'].map(changedOfStatus).join(' union all ')}) p
   where t.rules > 0 and t.store_id > $3
   order by t.store_id limit ${maxChangedProducts}`,
);

/**
 * Reads changed products of stores that have rules and an id above `afterStore`. It returns changes after a store's
 * point, or else changes since the store was last checked, which may include some that were matched before. `upTo` is
 * the last store that was read completely; null means all stores. `next` tells where to continue in stores that have
 * more changes.
 */
export async function findChangedProducts(
  db: Db,
  overlapMs: number,
  points: ReadonlyMap<string, ChangePoint>,
  afterStore: string,
) {
  const start = JSON.stringify(Object.fromEntries(points));
  const { rows } = await db.executeQuery(changed([overlapMs / 1000, start, afterStore]));
  const byStore = Map.groupBy(rows, ({ storeId }) => storeId);
  let upTo: string | null = null;
  if (rows.length === maxChangedProducts) {
    // The last store may have further changes beyond the limit, so the next read covers it again.
    byStore.delete(rows.at(-1)!.storeId);
    upTo = [...byStore.keys()].at(-1)!;
  }
  const next = new Map<string, ChangePoint>();
  for (const [storeId, products] of byStore) {
    // The last product of each status that was cut off; the next read begins at the earliest of them.
    const lastOfCutOff = [...Map.groupBy(products, ({ status }) => status).values()]
      .filter((each) => each.length === changedOfStatusAtOnce)
      .map((each) => each.at(-1)!)
      .sort(
        (one, other) => one.updatedAt.getTime() - other.updatedAt.getTime() || (one.id < other.id ? -1 : 1),
      );
    const first = lastOfCutOff[0];
    if (first) next.set(storeId, { since: first.updatedAt, id: first.id });
  }
  return { byStore, upTo, next };
}

/** Stores the instant up to which a store's changes have been matched. */
export async function saveCheckedUntil(db: Db, storeId: string, until: Date): Promise<void> {
  await db
    .updateTable('category_total')
    .set({ checked_until: until })
    .where('store_id', '=', storeId)
    .where('checked_until', '<', until)
    .execute();
}

/**
 * Stores that instant for all stores with ids above `above` and up to `upTo`, except those in `except` and those whose
 * stored instant is at most `afterMs` old.
 */
export async function saveCheckedUntilOfRange(
  db: Db,
  until: Date,
  afterMs: number,
  { above, upTo, except }: { above: string; upTo: string | null; except: readonly string[] },
): Promise<void> {
  await db
    .updateTable('category_total')
    .set({ checked_until: until })
    .where('rules', '>', 0)
    .where('checked_until', '<', new Date(until.getTime() - afterMs))
    .where('store_id', '>', above)
    .where(sql<boolean>`(${upTo}::text is null or store_id <= ${upTo})`)
    .where(sql<boolean>`store_id <> all(${except}::text[])`)
    .execute();
}
