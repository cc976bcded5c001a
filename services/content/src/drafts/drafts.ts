import type { PageDocument } from '@waybill/page';
import type { Context } from '../config.ts';
import { acceptDocument, noteDocument } from '../documents/documents.ts';
import { errors } from '../errors.ts';
import { findPage, lockPageList, touchPage } from '../pages/queries.ts';
import { findDraft, findLiveDocument, upsertDraft } from './queries.ts';

const emptyDocument: PageDocument = {
  rootId: 'root',
  nodes: [{ id: 'root', type: 'section', children: [] }],
};

/**
 * What there is to edit of a page: its draft, else what is live, else an empty document. JSON.
 * @throws not_found
 */
export async function readDraft({ db }: Context, storeId: string, pageId: string): Promise<string> {
  if (!(await findPage(db, storeId, pageId))) throw errors.not_found();
  const draft = await findDraft(db, storeId, pageId);
  return draft?.document ?? (await findLiveDocument(db, storeId, pageId)) ?? JSON.stringify(emptyDocument);
}

/**
 * Saves a page's draft; a save that changes nothing touches nothing. Gives the stored document as JSON.
 * @throws not_found, invalid_document
 */
export function saveDraft(
  { transaction }: Context,
  storeId: string,
  pageId: string,
  sent: unknown,
): Promise<string> {
  const document = acceptDocument(sent);
  const text = JSON.stringify(document);
  return transaction(async (trx) => {
    await lockPageList(trx, storeId);
    if (!(await findPage(trx, storeId, pageId))) throw errors.not_found();
    const draft = await findDraft(trx, storeId, pageId);
    if (draft?.document !== text) {
      await noteDocument(trx, storeId, pageId, document);
      await upsertDraft(trx, storeId, pageId, text);
      await touchPage(trx, storeId, pageId, new Date());
    }
    return text;
  });
}
