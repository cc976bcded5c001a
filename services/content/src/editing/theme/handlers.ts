import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import type { Tables } from '../../tables.ts';
import { findTheme } from './queries.ts';
import type { routes } from './routes.ts';
import { acceptTheme, publishTheme, readTheme, saveTheme } from './theme.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  getTheme: ({ storeId, query, db }) => readTheme(db, storeId, query.state),
  async saveTheme({ storeId, body, idempotentWrite }) {
    await idempotentWrite.begin(body);
    const theme = await acceptTheme(context, storeId, body.theme);
    return idempotentWrite.commit((write) => saveTheme(write, storeId, theme));
  },
  getThemeColors: async ({ body }) => ({
    colors: (await findTheme(context.db, body.storeId))?.live?.colors ?? null,
  }),
  publishTheme: { write: ({ storeId }, write) => publishTheme(write, storeId) },
});
