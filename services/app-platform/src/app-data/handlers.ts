import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import type { Tables } from '../tables.ts';
import { checkInput, deleteAppData, readAppData, setAppData } from './app-data.ts';
import { type AppDataRow, listAppData, lookUpAppData } from './queries.ts';
import type { AppData, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listAppData({ principal, storeId, query }) {
    const { rows, ...list } = await listAppData(context.db, storeId, principal.appId, query);
    return { appData: rows.map(toAppData), ...list };
  },
  getAppData: async ({ principal, storeId, params, query, db }) => ({
    appData: toAppData(await readAppData({ db }, storeId, principal.appId, params.key, query)),
  }),
  async setAppData({ principal, storeId, body, idempotentWrite }) {
    await idempotentWrite.begin(body);
    const name = await checkInput(context, storeId, principal.appId, body);
    return idempotentWrite.commit(async (write) => ({
      appData: toAppData(await setAppData(write, storeId, name, body.value)),
    }));
  },
  deleteAppData: {
    write: ({ principal, storeId, params, query }, write) =>
      deleteAppData(write, storeId, principal.appId, params.key, query),
  },
  lookUpAppData: async ({ body }) => ({
    values: await lookUpAppData(context.db, body.storeId, body.values),
  }),
});

function toAppData({ key, value, owner, owner_id, updated_at }: AppDataRow): AppData {
  return { key, value, owner, ownerId: owner_id || null, updatedAt: updated_at.toISOString() };
}
