import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { TemplateKind } from '../../publication/owners/template-kinds.ts';
import { templateIdIn } from '../../publication/templates/queries.ts';
import type { Tables } from '../../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A template as an editor gets it. */
export interface TemplateRow extends Omit<Selectable<Tables['template']>, 'draft' | 'store_id'> {
  /** JSON. */
  draft: string | null;
  /** What is published, JSON. */
  live: string | null;
}

/** The templates of the store that were ever touched. */
export async function listTemplates(db: Db, storeId: string): Promise<TemplateRow[]> {
  const { rows } = await sql<TemplateRow>`${template(storeId)}`.execute(db);
  return rows;
}

/** One of them; undefined: nobody has touched it. */
export async function findTemplate(
  db: Db,
  storeId: string,
  kind: TemplateKind,
): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`${template(storeId)} and t.kind = ${kind}`.execute(db);
  return rows[0];
}

const template = (storeId: string) => sql`
  select t.kind, t.draft::text as draft, t.draft_revision, t.saves, t.saved_at, t.saved_by, t.published_at,
    l.document::text as live
  from template t left join live_page l on l.store_id = t.store_id and l.page_id = ${sql.raw(templateIdIn('t.kind'))}
  where t.store_id = ${storeId}`;

/** Puts a draft in place of the one that the template has. */
export async function upsertTemplateDraft(
  trx: Trx,
  storeId: string,
  kind: TemplateKind,
  document: string,
  userId: string,
  now: Date,
): Promise<void> {
  await sql`
    insert into template as t (store_id, kind, draft, saves, saved_at, saved_by)
    values (${storeId}, ${kind}, ${document}, 1, ${now}, ${userId})
    on conflict (store_id, kind) do update set draft = excluded.draft, draft_revision = ${randomUUID()},
      saves = t.saves + 1, saved_at = excluded.saved_at, saved_by = excluded.saved_by`.execute(trx);
}

/** Takes the draft that one save made; false when it is gone or another save came. */
export async function consumeTemplateDraft(
  trx: Trx,
  storeId: string,
  kind: TemplateKind,
  revision: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('template')
    .set({ draft: null, published_at: now })
    .where('store_id', '=', storeId)
    .where('kind', '=', kind)
    .where('draft_revision', '=', revision)
    .where('draft', 'is not', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Forgets all of a template; false where there was nothing. */
export async function deleteTemplateRow(trx: Trx, storeId: string, kind: TemplateKind): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('template')
    .where('store_id', '=', storeId)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
