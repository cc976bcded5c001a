import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findLanguages } from '../live/queries.ts';
import { storeFacts } from '../stores/stores.ts';
import { deleteTranslation, listTranslations } from './queries.ts';
import { entityTypes, type routes, type Translation } from './routes.ts';
import { localeOf, progressOf, refuse, translationsByEntity, writeTranslations } from './translations.ts';

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { db, transaction } = context;
  return {
    async listTranslations({ storeId, query }) {
      const locale = localeOf(query.locale);
      const types = query.entityType ? [query.entityType] : entityTypes;
      if (query.entityId) {
        const { rows, total } = await listTranslations(db, storeId, locale, types, query.entityId, query);
        return { translations: rows.map(toTranslation), total };
      }
      const ids = query.entityIds?.split(',') ?? [];
      const entities = await translationsByEntity(db, storeId, locale, types, ids);
      return { byEntity: Object.fromEntries(entities.map(({ id, rows }) => [id, rows.map(toTranslation)])) };
    },
    async writeTranslations({ storeId, body }) {
      await writeTranslations(transaction, storeId, body.entries);
      return { written: body.entries.length };
    },
    async deleteTranslation({ storeId, query: { locale: tag, entityType, entityId, field } }) {
      const locale = localeOf(tag);
      if (!entityType || !entityId || !field) refuse('Say which `entityType`, `entityId` and `field`.');
      await transaction((trx) => deleteTranslation(trx, storeId, { locale, entityType, entityId, field }));
    },
    async getProgress({ storeId, query }) {
      return { progress: await progressOf(db, storeId, localeOf(query.locale)) };
    },
    async getLanguages({ storeId }) {
      // Before an event has told of it, identity is asked.
      if (!(await storeFacts(context, storeId))) throw errors.not_found();
      const { defaultLocale, locales } = await findLanguages(db, storeId);
      return { languages: { default: defaultLocale, others: locales } };
    },
  };
};

function toTranslation(row: {
  locale: string;
  entity_type: Translation['entityType'];
  entity_id: string;
  field: string;
  value: string;
  source: Translation['source'];
  updated_at: Date;
}): Translation {
  const { locale, entity_type, entity_id, field, value, source, updated_at } = row;
  const updatedAt = updated_at.toISOString();
  return { locale, entityType: entity_type, entityId: entity_id, field, value, source, updatedAt };
}
