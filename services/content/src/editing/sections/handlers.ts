import { type Handlers, listAnswer, rawJson } from '@waybill/kernel';
import { vocabulary, withOwnKeys } from '@waybill/page';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import type { Tables } from '../../tables.ts';
import { findSection, findSectionEnvelope, listSections, listUsers, readSectionItems } from './queries.ts';
import type { routes } from './routes.ts';
import { createSection, deleteSection, replaceSection } from './sections.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listSections({ storeId, query }) {
    const page = await listSections(context.db, storeId, query);
    return listAnswer('sections', page, (ids) => readSectionItems(context.db, { storeId, ids }));
  },
  createSection: {
    write: async ({ storeId, principal, body }, write) =>
      rawJson(await createSection(write, storeId, principal.userId, body)),
  },
  async getSection({ storeId, params, db }) {
    const json = await findSectionEnvelope(db, storeId, params.sectionId);
    if (!json) throw errors.not_found();
    const { section } = JSON.parse(json);
    const document = withOwnKeys(vocabulary, section.document);
    return document === section.document ? rawJson(json) : { section: { ...section, document } };
  },
  replaceSection: {
    write: async ({ storeId, params, principal, body }, write) =>
      rawJson(await replaceSection(write, storeId, params.sectionId, principal.userId, body)),
  },
  async getSectionUsage({ storeId, params: { sectionId } }) {
    if (!(await findSection(context.db, storeId, sectionId))) throw errors.not_found();
    return { usage: await listUsers(context.db, storeId, sectionId) };
  },
  deleteSection: { write: ({ storeId, params }, write) => deleteSection(write, storeId, params.sectionId) },
});
