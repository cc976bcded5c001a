import { type StoreLimit, toStoreLimits } from '@waybill/contracts';
import { countArticles } from './blog/articles/queries.ts';
import { countCategories } from './blog/categories/queries.ts';
import type { Context } from './config.ts';
import { readPageCount } from './editing/pages/queries.ts';
import { countSections } from './editing/sections/queries.ts';
import { countTranslations } from './translations/values/queries.ts';

/** Returns the limits of a store and their use: `decisions.md 19.13`. */
export async function listLimits({ db }: Pick<Context, 'db'>, storeId: string): Promise<StoreLimit[]> {
  const [pages, sections, articles, blogCategories, translations] = await Promise.all([
    readPageCount(db, storeId),
    countSections(db, storeId),
    countArticles(db, storeId),
    countCategories(db, storeId),
    countTranslations(db, storeId),
  ]);
  return toStoreLimits({ pages, sections, articles, blogCategories, translations });
}
