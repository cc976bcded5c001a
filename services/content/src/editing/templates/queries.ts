import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { TemplateKind } from '../../publication/owners/template-kinds.ts';
import { templateIdIn } from '../../publication/templates/queries.ts';
import type { Tables } from '../../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A template as an editor gets it. */
export interface TemplateRow extends Omit<Selectable<Tables['template']>, 'draft' | 'store_id'> {
  /** As JSON. */
  draft: string | null;
  /** The published document as JSON. */
  live: string | null;
}

/** Returns the templates of the store that were ever saved. */
export async function listTemplates(db: Db, storeId: string): Promise<TemplateRow[]> {
  const { rows } = await sql<TemplateRow>`${template(storeId)}`.execute(db);
  return rows;
}

/** Returns a template; undefined when it was never saved. */
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

/** Writes the draft of a template, replacing any previous one. */
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

/** Consumes the draft of a save. Returns false when it is gone or was saved again. */
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

/** Deletes a template. Returns false when there was none. */
export async function deleteTemplateRow(trx: Trx, storeId: string, kind: TemplateKind): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('template')
    .where('store_id', '=', storeId)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
