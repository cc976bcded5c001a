import { type Handlers, listAnswer, rawJson } from '@waybill/kernel';
import { vocabulary, withOwnKeys } from '@waybill/page';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { findSection, findSectionEnvelope, listSections, listUsers, readSectionItems } from './queries.ts';
import type { routes } from './routes.ts';
import { createSection, deleteSection, replaceSection } from './sections.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listSections({ storeId, query }) {
    const page = await listSections(context.db, storeId, query);
    return listAnswer('sections', page, (ids) => readSectionItems(context.db, { storeId, ids }));
  },
  createSection: async ({ storeId, principal, body }) =>
    rawJson(await createSection(context, storeId, principal.userId, body)),
  async getSection({ storeId, params }) {
    const json = await findSectionEnvelope(context.db, storeId, params.sectionId);
    if (!json) throw errors.not_found();
    const { section } = JSON.parse(json);
    const document = withOwnKeys(vocabulary, section.document);
    return document === section.document ? rawJson(json) : { section: { ...section, document } };
  },
  replaceSection: async ({ storeId, params, principal, body }) =>
    rawJson(await replaceSection(context, storeId, params.sectionId, principal.userId, body)),
  async getSectionUsage({ storeId, params: { sectionId } }) {
    if (!(await findSection(context.db, storeId, sectionId))) throw errors.not_found();
    return { usage: await listUsers(context.db, storeId, sectionId) };
  },
  deleteSection: ({ storeId, params }) => deleteSection(context, storeId, params.sectionId),
});
