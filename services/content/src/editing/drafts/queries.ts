import { randomUUID } from 'node:crypto';
import type { Columns } from '@waybill/kernel';
import { changedAt, prepare } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A saved draft: its JSON, and the number of the save. */
export interface Draft {
  document: string;
  revision: string;
}

/** Returns the page's draft; undefined when there is none. */
export function findDraft(db: Db, storeId: string, pageId: string): Promise<Draft | undefined> {
  return db
    .selectFrom('page_draft')
    .select([sql<string>`document::text`.as('document'), 'revision'])
    .where('store_id', '=', storeId)
    .where('page_id', '=', pageId)
    .executeTakeFirst();
}

/** How a sent document relates to the stored ones of its page. */
interface Comparison {
  /** Whether the draft is the same. */
  isSaved: boolean;
  /** Whether the live document is the same. */
  isLive: boolean;
}

const compare = prepare<Comparison, { storeId: string; pageId: string; document: string }>(
  'page-draft-compare',
  ($) => `
  select
    exists (select from page_draft d
      where d.store_id = ${$.storeId} and d.page_id = ${$.pageId} and d.document::text = ${$.document}) as "isSaved",
    exists (select from live_page l
      where l.store_id = ${$.storeId} and l.page_id = ${$.pageId} and l.document::text = ${$.document}) as "isLive"
  from page p where p.store_id = ${$.storeId} and p.id = ${$.pageId}`,
);

/** Compares a document, as JSON, with those of a page; undefined when there is no such page. */
export async function compareDraft(
  db: Db,
  storeId: string,
  pageId: string,
  document: string,
): Promise<Comparison | undefined> {
  const { rows } = await db.executeQuery(compare({ storeId, pageId, document }));
  return rows[0];
}

/** Returns the last published document as JSON; null when the page is not live. */
export async function findLiveDocument(db: Db, storeId: string, pageId: string): Promise<string | null> {
  const row = await db
    .selectFrom('live_page')
    .select(sql<string>`document::text`.as('document'))
    .where('store_id', '=', storeId)
    .where('page_id', '=', pageId)
    .executeTakeFirst();
  return row?.document ?? null;
}

/** A page's document as an editor gets it. */
interface Edited
  extends Columns<
    Tables['page'],
    { revision: 'draft_revision'; savedAt: 'draft_saved_at'; savedBy: 'draft_saved_by' }
  > {
  document: string | null;
}

/**
 * Returns the document to edit of a page: its draft, else the live document, else null. Undefined when there is no such
 * page.
 */
export async function findEdited(db: Db, storeId: string, pageId: string): Promise<Edited | undefined> {
  const { rows } = await sql<Edited>`
    select coalesce(d.document, l.document)::text as document, p.draft_revision as revision,
      p.draft_saved_at as "savedAt", p.draft_saved_by as "savedBy"
    from page p
    left join page_draft d on d.store_id = p.store_id and d.page_id = p.id
    left join live_page l on l.store_id = p.store_id and l.page_id = p.id
    where p.store_id = ${storeId} and p.id = ${pageId}`.execute(db);
  return rows[0];
}

/** Writes the draft of a page, replacing any previous one. `isLive`: it is the live document. */
export async function upsertDraft(
  trx: Trx,
  storeId: string,
  pageId: string,
  document: string,
  { isLive }: Pick<Comparison, 'isLive'>,
): Promise<void> {
  const revision = randomUUID();
  const save = { document, revision, unchanged_revision: isLive ? revision : null };
  await trx
    .insertInto('page_draft')
    .values({ store_id: storeId, page_id: pageId, ...save })
    .onConflict((conflict) => conflict.columns(['store_id', 'page_id']).doUpdateSet(save))
    .execute();
}

/**
 * Records that the document to edit has changed: the user and time of the save, or null when the live document is to be
 * edited again.
 */
export async function recordDraftSave(
  trx: Trx,
  storeId: string,
  pageId: string,
  savedBy: string | null,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('page')
    .set((eb) => ({
      draft_revision: eb('draft_revision', '+', 1),
      draft_saved_at: savedBy === null ? null : now,
      draft_saved_by: savedBy,
      updated_at: changedAt(now),
    }))
    .where('store_id', '=', storeId)
    .where('id', '=', pageId)
    .execute();
}

/** Deletes the page's draft, or only the one of the given save. Returns false when it is gone or was saved again. */
export async function deleteDraft(
  trx: Trx,
  storeId: string,
  pageId: string,
  revision?: string,
): Promise<boolean> {
  let drafts = trx.deleteFrom('page_draft').where('store_id', '=', storeId).where('page_id', '=', pageId);
  if (revision) drafts = drafts.where('revision', '=', revision);
  const { numDeletedRows } = await drafts.executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
