import { prepare, withinStore } from '@waybill/kernel';
import type { Kysely, Selectable } from 'kysely';
import type { Tables } from '../../tables.ts';
import { assumedLocale, firstLocales } from '../values/queries.ts';

type Db = Kysely<Tables>;

/** In which languages a store is shown (`decisions.md 17.6`), and which state of it that is. */
export interface Languages {
  /** The one that it is written in. */
  defaultLocale: string;
  /** Those that it has addresses in besides. */
  locales: string[];
  /** Another whenever a translation changes. */
  translationRevision: Selectable<Tables['translated_store']>['revision'];
  /** Another whenever anything but a product changes that pages may show, and whenever a product does. */
  factsRevision: number;
  productsRevision: number;
}

/** What was stored before it was left out may have the locale that a store is taken to be written in. */
export const languageColumns = `coalesce(s.locales[1], '${assumedLocale}') as "defaultLocale",
  coalesce(s.locales[2:], array_remove(t.live_locales, '${assumedLocale}'), ${firstLocales('s.store_id')}) as locales,
  coalesce(t.revision, 0) as "translationRevision", coalesce(c.facts_revision, 0) as "factsRevision",
  coalesce(c.products_revision, 0) as "productsRevision"`;
/** Joined to a store `s` for them. */
export const translated = `left join translated_store t on t.store_id = s.store_id
  left join page_list c on c.store_id = s.store_id`;

const languages = prepare<Languages>(
  'live-languages',
  withinStore('$1', `select ${languageColumns} from store_fact s ${translated} where s.store_id = $1`),
);

/** The languages of a store that is known. */
export async function findLanguages(db: Db, storeId: string): Promise<Languages> {
  const { rows } = await db.executeQuery(languages([storeId]));
  return rows[0]!;
}
