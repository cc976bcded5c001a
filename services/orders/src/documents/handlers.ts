import { Answer, type Handlers, jsonType } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findOrderEnvelope } from '../orders/queries.ts';
import type { Tables } from '../tables.ts';
import { issueOnRequest } from './credit-notes.ts';
import { toDocument } from './documents.ts';
import { pdfAnswer, xmlAnswer } from './files.ts';
import { findDocument, listDocuments } from './queries.ts';
import type { routes } from './routes.ts';
import { changeSettings, fetchNewLogo, readSettings } from './settings.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const { db: pool } = context;
  return {
    async listDocuments({ storeId, params, query }) {
      if ((await findOrderEnvelope(pool, storeId, params.id)) === null) throw errors.not_found();
      const { rows, ...list } = await listDocuments(pool, storeId, params.id, query);
      return { documents: await Promise.all(rows.map((row) => toDocument(context, row))), ...list };
    },
    issueDocument: {
      async write({ storeId, params, body }, write) {
        const { kind, refundId = null } = body;
        const { document, isNew } = await issueOnRequest(write, context, storeId, params.id, {
          kind,
          refundId,
        });
        if (isNew) write.afterCommit(() => context.wakeTask('make-document-files'));
        return new Answer(JSON.stringify({ document }), jsonType, {}, isNew ? 201 : 200);
      },
    },
    async getDocument({ storeId, params, db }) {
      const document = await findDocument(db, storeId, params.id, params.documentId);
      if (!document) throw errors.not_found();
      return { document: await toDocument(context, document) };
    },
    getDocumentSettings: async ({ storeId, db }) => ({
      settings: (await readSettings(db, storeId)).settings,
    }),
    async replaceDocumentSettings({ storeId, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const newLogo = await fetchNewLogo(context, storeId, body);
      return idempotentWrite.commit(async (write) => ({
        settings: await changeSettings(write, context, storeId, body, newLogo),
      }));
    },
    getDocumentFile: ({ params }) => pdfAnswer(context, params.storeId, params.token),
    getDocumentXml: ({ params }) => xmlAnswer(context, params.storeId, params.token),
  };
};
