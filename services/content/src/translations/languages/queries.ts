import { prepare, withinStore } from '@waybill/kernel';
import type { Kysely, Selectable } from 'kysely';
import type { Tables } from '../../tables.ts';
import { assumedLocale, firstLocales } from '../values/queries.ts';

type Db = Kysely<Tables>;

/** The languages in which a store is shown (`decisions.md 17.6`), and the revisions of its state. */
export interface Languages {
  /** The store's original language. */
  defaultLocale: string;
  /** The other locales in which it has addresses. */
  locales: string[];
  /** Changes with every translation. */
  translationRevision: Selectable<Tables['translated_store']>['revision'];
  /** Revisions that change when pages may show something new: for anything except products, and for products. */
  factsRevision: number;
  productsRevision: number;
}

/**
 * SQL for these columns. `live_locales` stored by earlier versions may include the assumed default locale, which is
 * therefore removed.
 */
export const languageColumns = `coalesce(s.locales[1], '${assumedLocale}') as "defaultLocale",
  coalesce(s.locales[2:], array_remove(t.live_locales, '${assumedLocale}'), ${firstLocales('s.store_id')}) as locales,
  coalesce(t.revision, 0) as "translationRevision", coalesce(c.facts_revision, 0) as "factsRevision",
  coalesce(c.products_revision, 0) as "productsRevision"`;
/** SQL joins to a store `s` for these columns. */
export const translationJoins = `left join translated_store t on t.store_id = s.store_id
  left join page_list c on c.store_id = s.store_id`;

const languages = prepare<Languages>(
  'live-languages',
  withinStore('$1', `select ${languageColumns} from store_fact s ${translationJoins} where s.store_id = $1`),
);

/** Returns the languages of a known store. */
export async function findLanguages(db: Db, storeId: string): Promise<Languages> {
  const { rows } = await db.executeQuery(languages([storeId]));
  return rows[0]!;
}
