import { randomUUID } from 'node:crypto';
import type { Columns } from '@waybill/kernel';
import { changedAt } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A saved draft: JSON, and which save it is. */
export interface Draft {
  document: string;
  revision: string;
}

/** The page's draft; undefined when there is none. */
export function findDraft(db: Db, storeId: string, pageId: string): Promise<Draft | undefined> {
  return db
    .selectFrom('page_draft')
    .select([sql<string>`document::text`.as('document'), 'revision'])
    .where('store_id', '=', storeId)
    .where('page_id', '=', pageId)
    .executeTakeFirst();
}

/** What was published last, as JSON; null when the page is not live. */
export async function findLiveDocument(db: Db, storeId: string, pageId: string): Promise<string | null> {
  const row = await db
    .selectFrom('live_page')
    .select(sql<string>`document::text`.as('document'))
    .where('store_id', '=', storeId)
    .where('page_id', '=', pageId)
    .executeTakeFirst();
  return row?.document ?? null;
}

/** What an editor gets of a page. */
interface Edited
  extends Columns<
    Tables['page'],
    { revision: 'draft_revision'; savedAt: 'draft_saved_at'; savedBy: 'draft_saved_by' }
  > {
  document: string | null;
}

/** What there is to edit of a page: its draft, else what is live, else null for the document. Undefined: no such page. */
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

/** Puts a draft in place of the one that the page has. */
export async function upsertDraft(
  trx: Trx,
  storeId: string,
  pageId: string,
  document: string,
): Promise<void> {
  await trx
    .insertInto('page_draft')
    .values({ store_id: storeId, page_id: pageId, document })
    .onConflict((conflict) =>
      conflict.columns(['store_id', 'page_id']).doUpdateSet({ document, revision: randomUUID() }),
    )
    .execute();
}

/** Notes that there is another document to edit: who saved it when, null where what is live is it again. */
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

/** Deletes the page's draft, or only the one that one save made; false when it is gone or another save came. */
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
