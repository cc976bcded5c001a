import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import type { Tables } from '../../tables.ts';
import { deleteTranslation, listTranslations } from './queries.ts';
import { entityTypes, type routes, type Translation } from './routes.ts';
import {
  measureProgress,
  parseLocale,
  throwInvalidTranslation,
  translationsByEntity,
  writeTranslations,
} from './translations.ts';

export const handlers = ({ db }: Context): Handlers<typeof routes, Tables> => ({
  async listTranslations({ storeId, query }) {
    const locale = parseLocale(query.locale);
    const types = query.entityType ? [query.entityType] : entityTypes;
    if (query.entityId) {
      const { rows, total } = await listTranslations(db, storeId, locale, types, query.entityId, query);
      return { translations: rows.map(toTranslation), total };
    }
    const ids = query.entityIds?.split(',') ?? [];
    const entities = await translationsByEntity(db, storeId, locale, types, ids);
    return { byEntity: Object.fromEntries(entities.map(({ id, rows }) => [id, rows.map(toTranslation)])) };
  },
  writeTranslations: {
    async write({ storeId, body }, { trx }) {
      await writeTranslations(trx, storeId, body.entries);
      return { written: body.entries.length };
    },
  },
  deleteTranslation: {
    async write({ storeId, query: { locale: tag, entityType, entityId, field } }, { trx }) {
      const locale = parseLocale(tag);
      if (!entityType || !entityId || !field)
        throwInvalidTranslation('Say which `entityType`, `entityId` and `field`.');
      await deleteTranslation(trx, storeId, { locale, entityType, entityId, field });
    },
  },
  async getProgress({ storeId, query }) {
    return { progress: await measureProgress(db, storeId, parseLocale(query.locale)) };
  },
});

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
