import { type Columns, prepare } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { SavedDocument } from '../../publication/documents/envelope.ts';
import type { Article as ArticleRow, Tables } from '../../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

type Draft = Columns<
  Tables['article_document'],
  { revision: 'revision'; savedAt: 'saved_at'; savedBy: 'saved_by' }
>;

/** Returns the builder document of an article; undefined when its body is not one. */
export async function findArticleDocument(
  db: Db,
  storeId: string,
  id: string,
): Promise<SavedDocument | undefined> {
  const { rows } = await sql<SavedDocument & Draft>`
    select d.document::text as document, d.revision, d.saved_at as "savedAt", d.saved_by as "savedBy"
    from article_document d join article a on a.store_id = d.store_id and a.id = d.article_id
    where d.store_id = ${storeId} and d.article_id = ${id} and a.body_type = 'page'`.execute(db);
  return rows[0];
}

/** The saved document of an article. */
export interface ArticleDraft {
  /** JSON; null when the article's body is not a document. */
  document: string | null;
  /** The number of the save. */
  revision: number;
  /** Whether the document differs from what visitors see, and so can be published. */
  isWaiting: boolean;
}

/** Returns the saved document of an article; undefined when there is no such article. */
export function findArticleDraft(db: Db, storeId: string, id: string): Promise<ArticleDraft | undefined> {
  return db
    .selectFrom('article as a')
    .leftJoin('article_document as d', (join) =>
      join
        .onRef('d.store_id', '=', 'a.store_id')
        .onRef('d.article_id', '=', 'a.id')
        .on('a.body_type', '=', 'page'),
    )
    .select([
      sql<string | null>`d.document::text`.as('document'),
      sql<number>`d.revision`.as('revision'),
      sql<boolean>`a.status = 'draft' or d.published_revision is distinct from d.revision`.as('isWaiting'),
    ])
    .where('a.store_id', '=', storeId)
    .where('a.id', '=', id)
    .executeTakeFirst();
}

/** The possible sources of an article's body. */
export interface ArticleBody {
  /** HTML that was written, or that visitors see until the document is published. */
  content: ArticleRow['content'];
  /** Null when nothing was saved, or visitors see the content. */
  document: PageDocument | null;
  /** HTML of the live page; null when there is none. */
  live: string | null;
  /** Changes with any of these values. */
  stamp: string;
}

/** Returns the sources of an article's body; undefined when there is no such article. */
export async function findArticleBody(db: Db, storeId: string, id: string): Promise<ArticleBody | undefined> {
  const { rows } = await sql<ArticleBody>`
    select a.content, case when p.version > 0 then p.rendered->>'html' end as live,
      -- One that has not been made yet is made of what was published.
      case when a.body_type = 'page' and (a.status = 'draft' or a.content = '')
        then coalesce(p.document, d.document) end as document,
      concat_ws('/', a.updated_at, d.revision, p.version) as stamp
    from article a
    left join article_document d on d.store_id = a.store_id and d.article_id = a.id
    left join live_page p on p.store_id = a.store_id and p.page_id = a.id
    where a.store_id = ${storeId} and a.id = ${id}`.execute(db);
  return rows[0];
}

/** Empties the document of an article whose body is no longer one. Its count of saves continues. */
export async function clearArticleDocument(trx: Trx, storeId: string, id: string): Promise<void> {
  await trx
    .updateTable('article_document')
    .set((eb) => ({ document: 'null', revision: eb('revision', '+', 1), published_revision: null }))
    .where('store_id', '=', storeId)
    .where('article_id', '=', id)
    .execute();
}

/** Records that visitors see the saved document. */
export async function markDocumentPublished(trx: Trx, storeId: string, id: string): Promise<void> {
  await trx
    .updateTable('article_document')
    .set((eb) => ({ published_revision: eb.ref('revision') }))
    .where('store_id', '=', storeId)
    .where('article_id', '=', id)
    .execute();
}

/** How a sent document relates to the stored ones of its article. */
interface Comparison {
  /** Whether the article's body is the same document. */
  isSaved: boolean;
  /** Whether the live document is the same. */
  isLive: boolean;
}

const compare = prepare<Comparison, { storeId: string; id: string; document: string }>(
  'article-document-compare',
  ($) => `
  select
    a.body_type = 'page' and exists (select from article_document d
      where d.store_id = ${$.storeId} and d.article_id = ${$.id} and d.document::text = ${$.document}) as "isSaved",
    exists (select from live_page l
      where l.store_id = ${$.storeId} and l.page_id = ${$.id} and l.document::text = ${$.document}) as "isLive"
  from article a where a.store_id = ${$.storeId} and a.id = ${$.id}`,
);

/** Compares a document, as JSON, with those of an article; undefined when there is no such article. */
export async function compareArticleDocument(
  db: Db,
  storeId: string,
  id: string,
  document: string,
): Promise<Comparison | undefined> {
  const { rows } = await db.executeQuery(compare({ storeId, id, document }));
  return rows[0];
}

/** Stores the document of an article, which gets a new revision. `isLive`: it is the live document. */
export async function upsertArticleDocument(
  trx: Trx,
  storeId: string,
  id: string,
  document: string,
  { isLive }: Pick<Comparison, 'isLive'>,
  userId: string,
  now: Date,
): Promise<void> {
  const save = { document, saved_at: now, saved_by: userId };
  await trx
    .insertInto('article_document')
    .values({
      store_id: storeId,
      article_id: id,
      ...save,
      revision: 1,
      unchanged_revision: isLive ? 1 : null,
    })
    .onConflict((conflict) =>
      conflict.columns(['store_id', 'article_id']).doUpdateSet((eb) => {
        const revision = eb('article_document.revision', '+', 1);
        return { ...save, revision, unchanged_revision: isLive ? revision : null };
      }),
    )
    .execute();
}
