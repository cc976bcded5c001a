import { newId, storeLimits } from '@waybill/contracts';
import type { Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import {
  acceptDocument,
  deleteDocumentRecords,
  recordDocument,
} from '../../publication/documents/documents.ts';
import { documentCopy, recordSave } from '../../publication/history/history.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import {
  deleteSectionRow,
  findSection,
  findSectionEnvelope,
  hasSections,
  insertSection,
  listDocumentsWithSection,
  updateSection,
} from './queries.ts';
import type { SectionInput } from './routes.ts';

/**
 * Creates a section. Returns the `{ section }` envelope as JSON.
 * @throws invalid_document, too_many_sections
 */
export async function createSection(
  { trx }: Write,
  storeId: string,
  userId: string,
  { name, document: sent }: SectionInput,
): Promise<string> {
  const document = acceptDocument(sent);
  // Makes concurrent creations count one after the other.
  await lockPageList(trx, storeId);
  if (await hasSections(trx, storeId, storeLimits.sections)) throw errors.too_many_sections();
  const id = newId('section');
  const text = JSON.stringify(document);
  await insertSection(trx, storeId, { id, name, document: text }, userId, new Date());
  await recordDocument(trx, storeId, id, document);
  await recordSave(trx, storeId, id, userId, documentCopy(text, document));
  return (await findSectionEnvelope(trx, storeId, id))!;
}

/**
 * Saves a section. Live pages keep showing its previous state until one that holds it is published. Without a name it
 * keeps its own. Writes nothing when nothing differs. Returns the `{ section }` envelope as JSON.
 * @throws not_found, invalid_document, also for a section that would contain itself
 */
export async function replaceSection(
  { trx }: Write,
  storeId: string,
  id: string,
  userId: string,
  { name: newName, document: sent }: Partial<SectionInput>,
): Promise<string> {
  const accepted = acceptDocument(sent);
  const document = JSON.stringify(accepted);
  await lockPageList(trx, storeId);
  const current = await findSection(trx, storeId, id);
  if (!current) throw errors.not_found();
  const name = newName ?? current.name;
  if (current.name !== name || current.document !== document) {
    await recordDocument(trx, storeId, id, accepted);
    await updateSection(trx, storeId, { id, name, document }, userId, new Date());
  }
  if (current.document !== document)
    await recordSave(trx, storeId, id, userId, documentCopy(document, accepted));
  return (await findSectionEnvelope(trx, storeId, id))!;
}

/**
 * Deletes a section that nothing uses.
 * @throws not_found, invalid_state when a document or a live page holds it
 */
export async function deleteSection({ trx }: Write, storeId: string, id: string): Promise<void> {
  // Keeps documents from being saved, and pages from going live, with the section meanwhile.
  await lockPageList(trx, storeId);
  const holders = await listDocumentsWithSection(trx, storeId, id);
  if (holders.length > 0) {
    throw errors.invalid_state({
      message: 'This section is in use: remove it from the documents that contain it first.',
      details: holders.map((holder) => ({ pointer: '', message: `${holder} holds it` })),
    });
  }
  await deleteDocumentRecords(trx, storeId, id);
  if (!(await deleteSectionRow(trx, storeId, id))) throw errors.not_found();
}
