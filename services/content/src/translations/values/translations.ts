import { canonicalLocale, type Problem, storeLimits } from '@waybill/contracts';
import type { Kysely, Transaction } from 'kysely';
import { errors } from '../../errors.ts';
import type { Tables } from '../../tables.ts';
import {
  addToTranslations,
  changingTranslations,
  countProgress,
  type EntityRef,
  type EntityType,
  listEntityTranslations,
  listStoredLocales,
  measureTranslations,
  type TranslationState,
  upsertTranslations,
} from './queries.ts';
import { type EntryInput, entityTypes, maxValueBytes, type Progress } from './routes.ts';

type Db = Kysely<Tables>;

/** Throws `invalid_translation` for a problem of a request's query. */
export function throwInvalidTranslation(message: string): never {
  throw errors.invalid_translation({ message });
}

/**
 * Returns the locale in a request's query.
 * @throws invalid_translation
 */
export function parseLocale(tag: string | undefined): string {
  return (
    canonicalLocale(tag ?? '') ??
    throwInvalidTranslation('Say which `locale`: a BCP 47 tag such as `de` or `pt-BR`.')
  );
}

/**
 * Writes entries, all or none; of two for the same field the later one applies.
 * @throws invalid_translation with a pointer to every entry's problem
 */
export async function writeTranslations(
  trx: Transaction<Tables>,
  storeId: string,
  entries: readonly EntryInput[],
): Promise<void> {
  const details: Problem[] = [];
  const byKey = new Map<string, TranslationState>();
  for (const [i, { locale: tag, entityType, entityId, field, value, source }] of entries.entries()) {
    const locale = canonicalLocale(tag);
    if (!locale) details.push({ pointer: `/entries/${i}/locale`, message: 'is not a BCP 47 tag' });
    if (Buffer.byteLength(value) > maxValueBytes) {
      details.push({ pointer: `/entries/${i}/value`, message: 'is longer than 64 KiB' });
    }
    const key = JSON.stringify([entityType, entityId, field, locale]);
    const entry = {
      entityType,
      entityId,
      field,
      value,
      source: source === 'human' ? 'human' : 'machine',
    } as const;
    byKey.set(key, { ...entry, locale: locale ?? '' });
  }
  if (details.length > 0) throw errors.invalid_translation({ details });
  if (byKey.size === 0) return;
  const states = [...byKey.values()];
  await changingTranslations(trx, storeId, async (known) => {
    const locales = await withRoomFor(trx, storeId, known, states);
    const written = await upsertTranslations(trx, storeId, states, new Date());
    const count = await addToTranslations(trx, storeId, written);
    if (written > 0 && count > storeLimits.translations) throw errors.too_many_translations();
    return locales;
  });
}

/** Maximum number of locales in which a store may have translations, live or not. */
const maxStoredLocales = 100;

/**
 * Returns the locales in which the store has values once these entries are written.
 * @throws invalid_translation for too many
 */
async function withRoomFor(
  trx: Transaction<Tables>,
  storeId: string,
  known: readonly string[],
  states: readonly TranslationState[],
): Promise<string[]> {
  const addNewLocales = (locales: readonly string[]) => [
    ...new Set([...locales, ...states.map(({ locale }) => locale)]),
  ];
  const all = addNewLocales(known);
  if (all.length <= maxStoredLocales || all.length === known.length) return all;
  const present = addNewLocales(await listStoredLocales(trx, storeId));
  if (present.length <= maxStoredLocales) return present;
  return throwInvalidTranslation(`A store has translations in ${maxStoredLocales} locales at most.`);
}

const maxIds = 200;
/** Maximum number of bytes of values in one answer; 200 entities have far less except in an attack. */
const maxAnswerBytes = 32 * 1024 * 1024;

/**
 * Returns the translations of several entities, by entity.
 * @throws invalid_translation for too many ids, or more than an answer can hold
 */
export async function translationsByEntity(
  db: Db,
  storeId: string,
  locale: string,
  types: readonly EntityType[],
  ids: readonly string[],
) {
  const wanted = [...new Set(ids)].filter(Boolean);
  if (wanted.length === 0) throwInvalidTranslation('Say which `entityId` or `entityIds`.');
  if (wanted.length > maxIds) throwInvalidTranslation(`Ask for at most ${maxIds} ids at once.`);
  if ((await measureTranslations(db, storeId, locale, types, wanted)) > maxAnswerBytes) {
    throwInvalidTranslation(
      'These entities have more translations than one answer can hold: ask for fewer at once.',
    );
  }
  const rows = await listEntityTranslations(db, storeId, locale, types, wanted);
  const byId = Map.groupBy(rows, (row) => row.entity_id);
  return wanted.map((id) => ({ id, rows: byId.get(id) ?? [] }));
}

/** Returns the progress of translating into a locale: `decisions.md 4.7`. */
export async function measureProgress(db: Db, storeId: string, locale: string): Promise<Progress> {
  const counted = new Map((await countProgress(db, storeId, locale)).map((row) => [row.entityType, row]));
  const counts = entityTypes.map((type) => {
    const { translated = 0, total = 0 } = counted.get(type) ?? {};
    return [type, { translated, total }] as const;
  });
  const sum = (key: 'translated' | 'total') => counts.reduce((all, [, count]) => all + count[key], 0);
  return {
    locale,
    translated: sum('translated'),
    total: sum('total'),
    byEntityType: Object.fromEntries(counts) as Progress['byEntityType'],
  };
}

/** A value of an entity in a locale; never an empty one. */
export interface TranslatedValue extends EntityRef {
  field: string;
  value: string;
}

/** Looks up a field's translation; undefined when the original is shown. */
export type Translate = (entityType: EntityType, entityId: string, field: string) => string | undefined;

/** Creates a look-up of these values. */
export function translateWith(values: readonly TranslatedValue[]): Translate {
  const createKey = (...key: readonly [EntityType, string, string]) => JSON.stringify(key);
  const texts = new Map(
    values.map(({ entityType, entityId, field, value }) => [createKey(entityType, entityId, field), value]),
  );
  return (entityType, entityId, field) => texts.get(createKey(entityType, entityId, field));
}
