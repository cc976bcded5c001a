import { DocumentSettings, DocumentSettingsInput, documentKinds, OrderDocument } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

export const DocumentInput = Type.Object(
  {
    kind: Type.Enum([...documentKinds], { examples: ['invoice'] }),
    refundId: Type.Optional(
      nullable(
        Type.String({
          maxLength: 40,
          description: 'For a credit note, the refund that it documents.',
          examples: [null],
        }),
      ),
    ),
  },
  { $id: 'DocumentInput' },
);
export type DocumentInput = Static<typeof DocumentInput>;

const Item = Type.Object({ document: OrderDocument });
const SettingsItem = Type.Object({ settings: DocumentSettings });
const storeIds = { storeId: 'store' } as const;

/** Routes of documents: `decisions.md 23.5`. */
export const routes = defineRoutes({
  listDocuments: {
    method: 'GET',
    path: '/api/v1/orders/{id}/documents',
    access: { scope: 'orders.read' },
    summary: 'List the documents of an order',
    description: 'Newest first.',
    ids: { id: 'order' },
    query: Type.Object(paging),
    answer: [200, pageSchema('documents', OrderDocument)],
  },
  issueDocument: {
    method: 'POST',
    path: '/api/v1/orders/{id}/documents',
    access: { scope: 'orders.write' },
    summary: 'Issue a document of an order',
    description:
      'An invoice, a credit note for a refund, or a packing slip. A second invoice for an order, or credit ' +
      'note for a refund, returns the first one with status 200. Numbers have no gaps. `invalid_state` for a ' +
      'credit note if the order has no invoice; `seller_incomplete` lists the missing settings. Emits ' +
      '`document.issued`.',
    ids: { id: 'order' },
    body: DocumentInput,
    answer: [201, Item],
    otherAnswers: { 200: 'The document was already issued.' },
    errors: [errors.invalid_state, errors.seller_incomplete, errors.too_many_documents],
  },
  getDocument: {
    method: 'GET',
    path: '/api/v1/orders/{id}/documents/{documentId}',
    access: { scope: 'orders.read' },
    summary: 'Read a document',
    description: 'Its files are at `url` and `xmlUrl`, without a credential.',
    ids: { id: 'order', documentId: 'document' },
    answer: [200, Item],
  },
  getDocumentSettings: {
    method: 'GET',
    path: '/api/stores/{storeId}/documents/settings',
    access: { member: 'manager' },
    summary: 'Read the document settings of a store',
    description: 'Includes the defaults of unset values.',
    ids: storeIds,
    answer: [200, SettingsItem],
  },
  replaceDocumentSettings: {
    method: 'PUT',
    path: '/api/stores/{storeId}/documents/settings',
    access: { member: 'manager' },
    summary: 'Replace the document settings of a store',
    description:
      'Omitted fields keep their values. Issued documents do not change. Numbers continue; they do not restart.',
    ids: storeIds,
    body: DocumentSettingsInput,
    // The handler reads the logo from the media service.
    idempotency: 'handler',
    answer: [200, SettingsItem],
  },
  getDocumentFile: {
    method: 'GET',
    path: '/storefront/{storeId}/documents/{token}',
    access: 'public',
    summary: 'Download the PDF of a document',
    description:
      'PDF/A-3; an invoice or credit note also contains its data as XML (Factur-X, EN 16931). Never changes.',
    ids: storeIds,
    contentType: 'application/pdf',
    answer: [200, Type.String({ format: 'binary' })],
    errors: [errors.resource_unavailable],
  },
  getDocumentXml: {
    method: 'GET',
    path: '/storefront/{storeId}/documents/{token}/xml',
    access: 'public',
    summary: 'Download the XML of an invoice or credit note',
    description: 'Cross Industry Invoice in the profile EN 16931. Never changes.',
    ids: storeIds,
    contentType: 'application/xml',
    answer: [200, Type.String()],
    errors: [errors.resource_unavailable],
  },
});
