import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { storeFacts } from '../../shared/stores/stores.ts';
import { findLanguages } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async getLanguages({ storeId }) {
    // Asks identity if no event about the store has arrived yet.
    if (!(await storeFacts(context, storeId))) throw errors.not_found();
    const { defaultLocale, locales } = await findLanguages(context.db, storeId);
    return { languages: { default: defaultLocale, others: locales } };
  },
});
