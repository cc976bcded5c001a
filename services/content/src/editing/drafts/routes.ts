import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../../errors.ts';
import { AnyDocument, DocumentItem, SavedDocumentItem } from '../../publication/documents/schema.ts';

const path = '/api/stores/{storeId}/pages/{pageId}/draft';
const ids = { storeId: 'store', pageId: 'page' } as const;

/** `decisions.md 4.3, 13.1`. */
export const routes = defineRoutes({
  getDraft: {
    method: 'GET',
    path,
    access: { member: 'pages.read' },
    summary: "Read a page's document to edit it",
    description:
      'The saved draft, or else the last published document, or else an empty document. `hasDraft` of the page ' +
      'tells whether a draft exists.',
    ids,
    answer: [200, DocumentItem],
    storedBy: ['draft.revision'],
  },
  saveDraft: {
    method: 'PUT',
    path,
    access: { member: 'pages.write' },
    summary: "Save a page's draft",
    description:
      'Texts are stored in Unicode NFC with LF line endings; the answer contains them in this form.',
    ids,
    body: Type.Object({ document: AnyDocument }),
    // Other services are asked about what will not be shown before the transaction begins.
    idempotency: 'handler',
    answer: [200, SavedDocumentItem],
    errors: [errors.invalid_document],
  },
  dropDraft: {
    method: 'DELETE',
    path,
    access: { member: 'pages.write' },
    summary: "Discard a page's draft",
    description:
      'The editor then starts from the last published document, or an empty one. Succeeds if there is no draft.',
    ids,
    answer: [204, null],
  },
});
