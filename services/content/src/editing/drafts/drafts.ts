import type { PageDocument } from '@waybill/page';
import type { Kysely } from 'kysely';
import type { Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import { recordDocument, toEditable } from '../../publication/documents/documents.ts';
import type { SavedDocument } from '../../publication/documents/envelope.ts';
import { documentCopy, recordSave } from '../../publication/history/history.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import type { Tables } from '../../tables.ts';
import { findPage } from '../pages/queries.ts';
import {
  compareDraft,
  deleteDraft,
  findEdited,
  findLiveDocument,
  recordDraftSave,
  upsertDraft,
} from './queries.ts';

const emptyDocument: PageDocument = {
  rootId: 'root',
  nodes: [{ id: 'root', type: 'section', children: [] }],
};

/**
 * Returns the document to edit of a page: its draft, else the live document, else an empty one.
 * @throws not_found
 */
export async function readDraft(db: Kysely<Tables>, storeId: string, pageId: string): Promise<SavedDocument> {
  const edited = await findEdited(db, storeId, pageId);
  if (!edited) throw errors.not_found();
  return {
    ...edited,
    document: edited.document === null ? JSON.stringify(emptyDocument) : toEditable(edited.document),
  };
}

/**
 * Saves an accepted document as a page's draft. Writes nothing when nothing differs. Returns the stored document.
 * @throws not_found, invalid_document for a section that the store does not have
 */
export async function saveDraft(
  { trx }: Write,
  storeId: string,
  pageId: string,
  userId: string,
  document: PageDocument,
): Promise<SavedDocument> {
  const text = JSON.stringify(document);
  await lockPageList(trx, storeId);
  const found = await compareDraft(trx, storeId, pageId, text);
  if (!found) throw errors.not_found();
  if (!found.isSaved) {
    await recordDocument(trx, storeId, pageId, document);
    await upsertDraft(trx, storeId, pageId, text, found);
    await recordDraftSave(trx, storeId, pageId, userId, new Date());
    await recordSave(trx, storeId, pageId, userId, documentCopy(text, document));
  }
  return readDraft(trx, storeId, pageId);
}

/**
 * Drops a page's draft, so that the document to edit is the live one again, or an empty one. Does nothing without a
 * draft.
 * @throws not_found
 */
export async function dropDraft({ trx }: Write, storeId: string, pageId: string): Promise<void> {
  await lockPageList(trx, storeId);
  if (!(await findPage(trx, storeId, pageId))) throw errors.not_found();
  if (!(await deleteDraft(trx, storeId, pageId))) return;
  const live = await findLiveDocument(trx, storeId, pageId);
  await recordDocument(trx, storeId, pageId, live === null ? emptyDocument : JSON.parse(live));
  await recordDraftSave(trx, storeId, pageId, null, new Date());
}
