import type { FormSubmission } from '@waybill/contracts';
import {
  claimByStore,
  type Emission,
  insertEmissions,
  type ListItem,
  type ListRead,
  ofStore,
  parsePage,
  prepare,
  readItems,
  timestamp,
} from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { PageSources } from '../../publication/rendering/sources.ts';
import type { Tables } from '../../tables.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** The live page, article or template that holds a form. */
export interface FormOwner {
  document: PageDocument;
  sources: PageSources;
  /** The slug of a page or an article; empty for the homepage and for templates. */
  slug: string;
}

const owner = prepare<FormOwner>(
  'form-owner',
  `select l.document, l.sources, coalesce(case when not p.is_homepage then p.slug end, a.slug, '') as slug
   from live_page l
   left join page p on p.store_id = l.store_id and p.id = l.page_id
   left join article a on a.store_id = l.store_id and a.id = l.page_id
   where l.store_id = $1 and l.page_id = $2 and l.version > 0
     and (a.id is null or (a.status = 'published' and a.body_type = 'page'))
     and not exists (select from store_fact where store_id = $1 and is_closed)`,
);

/** Returns the live owner of an id; undefined when there is none, or when the store is closed. */
export async function findFormOwner(db: Db, storeId: string, id: string): Promise<FormOwner | undefined> {
  return (await db.executeQuery(owner([storeId, id]))).rows[0];
}

const json = `json_build_object('id', f.id, 'formId', f.form_id, 'pageId', f.page_id, 'values', f.sent,
  'createdAt', ${timestamp('f.created_at')})`;

const listed: ListItem<{ storeId: string; formId: string }> = {
  name: 'form-submission',
  table: 'form_submission',
  alias: 'f',
  json: () => json,
};

/**
 * Returns a page of the submissions to a store, or of one of its forms, and their total number.
 * @throws invalid_cursor
 */
export function listSubmissions(db: Db, storeId: string, query: ListQuery): Promise<ListRead> {
  const { formId } = query;
  const page = parsePage('form-submissions', [storeId], query, [
    { column: 'id', type: 'text', dir: query.dir },
  ]);
  return !formId
    ? readItems(db, listed, page, {
        kind: query.dir,
        values: { storeId, formId: '' },
        total: ($) => `coalesce((select submissions from form_box where store_id = ${$.storeId}), 0)`,
      })
    : readItems(db, listed, page, {
        kind: `of-form-${query.dir}`,
        values: { storeId, formId },
        rows: ($, { after, limits }) => `
          select id from form_submission where store_id = ${$.storeId} and form_id = ${$.formId}
            ${after ? `and id ${query.dir === 'desc' ? '<' : '>'} ${after[0]}` : ''}
          order by id ${query.dir} ${limits}`,
        total: ($) => `(select count(*)::int from form_submission
          where store_id = ${$.storeId} and form_id = ${$.formId})`,
      });
}

const find = prepare<{ json: string }>(
  'form-submission-find',
  `select json_build_object('formSubmission', ${json})::text as json
   from form_submission f where f.store_id = $1 and f.id = $2`,
);

/** Returns the `{ formSubmission }` envelope as JSON; null when the store has no such submission. */
export async function findSubmissionEnvelope(db: Db, storeId: string, id: string): Promise<string | null> {
  return (await db.executeQuery(find([storeId, id]))).rows[0]?.json ?? null;
}

/** Adds to the number of a store's submissions. */
export async function countIn(trx: Trx, storeId: string, more: number): Promise<void> {
  await sql`
    insert into form_box as box (store_id, submissions) values (${storeId}, ${more})
    on conflict (store_id) do update set submissions = box.submissions + excluded.submissions`.execute(trx);
}

/**
 * Deletes submissions older than an id from up to `stores` stores, up to `ofEach` from each. Returns whether there may
 * be more. Locks the counts first, as inserts do.
 */
export async function deleteOldSubmissions(
  trx: Trx,
  before: string,
  stores: number,
  ofEach: number,
): Promise<boolean> {
  const gone = await claimByStore<{ storeId: string }>(trx, {
    limit: stores,
    stores: () => sql`
      select b.store_id as "storeId" from form_box b
      where exists (select 1 from form_submission f where f.store_id = b.store_id and f.id < ${before})
      order by b.store_id limit ${stores}`,
    async claim(storeId, limit) {
      const { rows } = await sql<{ storeId: string }>`
        with box as (
          select store_id from form_box b
          where exists (select from form_submission f where f.store_id = b.store_id and f.id < ${before})
            and ${ofStore(storeId, 'b.store_id')}
          order by store_id limit ${limit} for update skip locked
        ), old as (
          select f.store_id, f.id from box cross join lateral (
            select store_id, id from form_submission f
            where f.store_id = box.store_id and f.id < ${before} and ${ofStore(storeId, 'f.store_id')}
            order by id limit ${ofEach}
          ) f
        ), gone as (
          delete from form_submission f using old
          where f.store_id = old.store_id and f.id = old.id and ${ofStore(storeId, 'f.store_id')}
          returning f.store_id
        ), counted as (
          update form_box b set submissions = b.submissions - n.gone
          from (select store_id, count(*) as gone from gone group by store_id) n
          where b.store_id = n.store_id and ${ofStore(storeId, 'b.store_id')}
        )
        select store_id as "storeId" from gone limit 1`.execute(trx);
      return rows;
    },
  });
  return gone.length > 0;
}

/** A submission as it is written, with the parts of its event that its transaction does not create. */
export interface NewSubmission {
  submission: FormSubmission;
  emails: readonly string[];
  event: Emission;
}

const insert = prepare<object, { storeId: string; rows: string }>(
  'form-submission-insert',
  ($) => `with emitted as materialized (
     select i.*, ${$.storeId} as store_id, json_build_object('formSubmission', submission)::text as json
     from rows from (json_to_recordset(${$.rows}) as (
       submission json, emails text[], event_id text, event_name text, event_trace text
     )) with ordinality as i (submission, emails, event_id, event_name, event_trace, ordinal)
   ), stored as (
     insert into form_submission (store_id, id, form_id, page_id, emails, sent, created_at)
     select store_id, submission ->> 'id', submission ->> 'formId', submission ->> 'pageId', emails,
       submission -> 'values', (submission ->> 'createdAt')::timestamptz
     from emitted
   ) ${insertEmissions('emitted')}`,
);

/** Inserts submissions with their events. */
export async function insertSubmissions(
  trx: Trx,
  storeId: string,
  all: readonly NewSubmission[],
): Promise<void> {
  const rows = all.map(({ event, ...each }) => ({ ...each, ...event }));
  await trx.executeQuery(insert({ storeId, rows: JSON.stringify(rows) }));
}

const mailed = prepare<{ ordinal: number; values: FormSubmission['values'] }>(
  'form-submissions-mailed',
  `select wanted.ordinal::int, f.sent as "values"
   from unnest($1::text[], $2::text[]) with ordinality as wanted (store_id, id, ordinal)
   join form_submission f on f.store_id = wanted.store_id and f.id = wanted.id`,
);

/** Returns the values of the given submissions, in their order; null for a missing one. */
export async function listMailedSubmissions(
  db: Db,
  submissions: readonly { storeId: string; id: string }[],
): Promise<(FormSubmission['values'] | null)[]> {
  const storeIds = submissions.map(({ storeId }) => storeId);
  const { rows } = await db.executeQuery(mailed([storeIds, submissions.map(({ id }) => id)]));
  const byOrdinal = new Map(rows.map(({ ordinal, values }) => [ordinal, values]));
  return submissions.map((_, i) => byOrdinal.get(i + 1) ?? null);
}

/** Matches submissions that contain one of these e-mail addresses, given in lower case. */
const hasEmailIn = (emails: readonly string[]) => sql<boolean>`emails && ${emails}::text[]`;

/** Returns up to `limit` submissions with one of these addresses, after an id. */
export async function listCustomerSubmissions(
  db: Db,
  storeId: string,
  emails: readonly string[],
  after: string | null,
  limit: number,
): Promise<FormSubmission[]> {
  const rows = await db
    .selectFrom('form_submission')
    .select(['id', 'form_id', 'page_id', 'sent', 'created_at'])
    .where('store_id', '=', storeId)
    .where(hasEmailIn(emails))
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, form_id: formId, page_id: pageId, sent, created_at }) => {
    return {
      id,
      formId,
      pageId,
      values: sent as FormSubmission['values'],
      createdAt: created_at.toISOString(),
    };
  });
}

/** Erases the values of up to `limit` submissions with one of these addresses, and returns their ids. */
export async function eraseCustomerSubmissions(
  trx: Trx,
  storeId: string,
  emails: readonly string[],
  limit: number,
): Promise<string[]> {
  const some = trx
    .selectFrom('form_submission')
    .select('id')
    .where('store_id', '=', storeId)
    .where(hasEmailIn(emails))
    .orderBy('id')
    .limit(limit)
    .forUpdate();
  const rows = await trx
    .updateTable('form_submission')
    .set({ sent: '{}', emails: [] })
    .where('store_id', '=', storeId)
    .where('id', 'in', some)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes a submission. Returns whether it existed. */
export async function deleteSubmissionRow(trx: Trx, storeId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    with gone as (delete from form_submission where store_id = ${storeId} and id = ${id} returning 1)
    update form_box set submissions = submissions - 1 where store_id = ${storeId} and exists (select from gone)
    returning 1`.execute(trx);
  return rows.length > 0;
}
