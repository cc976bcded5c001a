import { Answer, type Handlers, jsonType } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findOrderEnvelope } from '../orders/queries.ts';
import { issueOnRequest } from './credit-notes.ts';
import { toDocument } from './documents.ts';
import { pdfAnswer, xmlAnswer } from './files.ts';
import { findDocument, listDocuments } from './queries.ts';
import type { routes } from './routes.ts';
import { changeSettings, readSettings } from './settings.ts';

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { db, config } = context;
  return {
    async listDocuments({ storeId, params, query }) {
      if ((await findOrderEnvelope(db, storeId, params.id)) === null) throw errors.not_found();
      const { rows, ...list } = await listDocuments(db, storeId, params.id, query);
      return { documents: rows.map((row) => toDocument(row, config)), ...list };
    },
    async issueDocument({ storeId, params, body }) {
      const { kind, refundId = null } = body;
      const { document, isNew } = await issueOnRequest(context, storeId, params.id, { kind, refundId });
      if (isNew) context.wake('make-document-files');
      return new Answer(JSON.stringify({ document }), jsonType, {}, isNew ? 201 : 200);
    },
    async getDocument({ storeId, params }) {
      const document = await findDocument(db, storeId, params.id, params.documentId);
      if (!document) throw errors.not_found();
      return { document: toDocument(document, config) };
    },
    getDocumentSettings: async ({ storeId, db: pool }) => ({
      settings: (await readSettings(pool, storeId)).settings,
    }),
    replaceDocumentSettings: async ({ storeId, body }) => ({
      settings: await changeSettings(context, storeId, body),
    }),
    getDocumentFile: ({ params }) => pdfAnswer(context, params.storeId, params.token),
    getDocumentXml: ({ params }) => xmlAnswer(context, params.storeId, params.token),
  };
};
