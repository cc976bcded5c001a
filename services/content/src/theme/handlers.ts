import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import type { routes } from './routes.ts';
import { publishTheme, readTheme, saveTheme } from './theme.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  getTheme: ({ storeId, query }) => readTheme(context, storeId, query.state),
  saveTheme: ({ storeId, body }) => saveTheme(context, storeId, body.theme),
  publishTheme: ({ storeId }) => publishTheme(context, storeId),
});
