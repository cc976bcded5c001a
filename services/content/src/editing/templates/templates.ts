import type { IdempotentWrite } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import type { Context, Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import { clearDocument, recordDocument, toEditable } from '../../publication/documents/documents.ts';
import type { SavedDocument } from '../../publication/documents/envelope.ts';
import { documentCopy, recordSave } from '../../publication/history/history.ts';
import { goLive, type Publishable } from '../../publication/live-pages/go-live.ts';
import { deleteLivePage } from '../../publication/live-pages/queries.ts';
import { invalidateDependents } from '../../publication/live-pages/stale.ts';
import { type TemplateKind, templateId, templateKinds } from '../../publication/owners/template-kinds.ts';
import { buildDefaultTemplate } from '../../publication/templates/shown-template.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import {
  consumeTemplateDraft,
  deleteTemplateRow,
  findTemplate,
  listTemplates,
  type TemplateRow,
  upsertTemplateDraft,
} from './queries.ts';

/** A template as the API shows it. */
export interface Template {
  kind: TemplateKind;
  /** Whether the store's own template is shown; otherwise the default is. */
  live: boolean;
  hasDraft: boolean;
  /** Whether the draft differs from what is published. */
  hasChanges: boolean;
  publishedAt: string | null;
}

const toTemplate = (kind: TemplateKind, row: TemplateRow | undefined): Template => ({
  kind,
  live: row?.live != null,
  hasDraft: row?.draft != null,
  hasChanges: row?.draft != null && row.draft !== row.live,
  publishedAt: row?.published_at?.toISOString() ?? null,
});

/** Returns the templates of all kinds, whether the store has its own or not: `decisions.md 17.2`. */
export async function readTemplates({ db }: Pick<Context, 'db'>, storeId: string): Promise<Template[]> {
  const rows = new Map((await listTemplates(db, storeId)).map((row) => [row.kind, row]));
  return templateKinds.map((kind) => toTemplate(kind, rows.get(kind)));
}

/** Returns the template of one kind. */
export async function readTemplate(
  { db }: Pick<Context, 'db'>,
  storeId: string,
  kind: TemplateKind,
): Promise<Template> {
  return toTemplate(kind, await findTemplate(db, storeId, kind));
}

/** Returns the document to edit of a template: its draft, else the live document, else the default. */
export async function readTemplateDraft(
  context: Context,
  storeId: string,
  kind: TemplateKind,
): Promise<SavedDocument> {
  const row = await findTemplate(context.db, storeId, kind);
  const stored = row?.draft ?? row?.live;
  return {
    document: stored
      ? toEditable(stored)
      : JSON.stringify(await buildDefaultTemplate(context, storeId, kind)),
    revision: row?.saves ?? 0,
    savedAt: row?.saved_at ?? null,
    savedBy: row?.saved_by ?? null,
  };
}

/**
 * Saves an accepted document as a template's draft. Writes nothing when nothing differs. Returns the stored document.
 * @throws invalid_document for a section that the store does not have
 */
export async function saveTemplateDraft(
  { trx }: Write,
  context: Context,
  storeId: string,
  kind: TemplateKind,
  userId: string,
  document: PageDocument,
): Promise<SavedDocument> {
  const text = JSON.stringify(document);
  const id = templateId(kind);
  await lockPageList(trx, storeId);
  if ((await findTemplate(trx, storeId, kind))?.draft !== text) {
    await recordDocument(trx, storeId, id, document);
    await upsertTemplateDraft(trx, storeId, kind, text, userId, new Date());
    await recordSave(trx, storeId, id, userId, documentCopy(text, document));
  }
  // Read inside the transaction, so that the answer does not show a later save.
  return readTemplateDraft({ ...context, db: trx }, storeId, kind);
}

/**
 * Publishes a template's draft and consumes it: `decisions.md 17.2`.
 * @throws nothing_to_publish, resource_unavailable when its sources cannot be read
 */
export function publishTemplate(
  context: Context,
  storeId: string,
  kind: TemplateKind,
  userId: string | null,
  idempotentWrite: IdempotentWrite,
): Promise<{ template: Template }> {
  const read = () => findWaiting(context, storeId, kind);
  return goLive(context, storeId, userId, idempotentWrite, read, (json) => ({ template: JSON.parse(json) }));
}

async function findWaiting({ db }: Context, storeId: string, kind: TemplateKind): Promise<Publishable> {
  const row = await findTemplate(db, storeId, kind);
  if (!row?.draft) throw errors.nothing_to_publish();
  const id = templateId(kind);
  return {
    id,
    document: row.draft,
    consume: ({ trx }) => consumeTemplateDraft(trx, storeId, kind, row.draft_revision, new Date()),
    async finish({ trx, audit }) {
      await invalidateDependents(trx, storeId, [{ kind: 'template', ref: kind }]);
      await audit(storeId, 'template.published', { id, name: kind });
      return JSON.stringify(toTemplate(kind, await findTemplate(trx, storeId, kind)));
    },
  };
}

/**
 * Returns to the default template at once, and deletes the draft. Its history and the translations of its texts stay:
 * another save may bring them back, and the default's own texts have the same ids.
 */
export async function deleteTemplate(
  { trx, audit }: Write,
  storeId: string,
  kind: TemplateKind,
): Promise<void> {
  const id = templateId(kind);
  await lockPageList(trx, storeId);
  if (!(await deleteTemplateRow(trx, storeId, kind))) return;
  await deleteLivePage(trx, storeId, id);
  await clearDocument(trx, storeId, id);
  await invalidateDependents(trx, storeId, [{ kind: 'template', ref: kind }]);
  await audit(storeId, 'template.deleted', { id, name: kind });
}
