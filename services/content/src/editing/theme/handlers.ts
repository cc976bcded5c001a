import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { findTheme } from './queries.ts';
import type { routes } from './routes.ts';
import { acceptTheme, publishTheme, readTheme, saveTheme } from './theme.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  getTheme: ({ storeId, query }) => readTheme(context, storeId, query.state),
  async saveTheme({ storeId, body, once }) {
    await once.begin(body);
    const theme = await acceptTheme(context, storeId, body.theme);
    return once.commit(() => saveTheme(context, storeId, theme));
  },
  getThemeColors: async ({ body }) => ({
    colors: (await findTheme(context.db, body.storeId))?.live?.colors ?? null,
  }),
  publishTheme: ({ storeId }) => publishTheme(context, storeId),
});
