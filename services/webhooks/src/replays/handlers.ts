import type { Handlers } from '@waybill/kernel';
import type { Context } from '../context.ts';
import { getReplay, listPage, startReplay, stopReplay } from './replays.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async replayWebhook({ storeId, principal, params, body }) {
    const replay = await startReplay(context, storeId, principal, params.id, body);
    context.wake('replay');
    return { replay };
  },
  listReplays({ storeId, principal, params, query }) {
    return listPage(context.db, storeId, principal, params.id, query);
  },
  async getReplay({ storeId, principal, params }) {
    return { replay: await getReplay(context.db, storeId, principal, params.id, params.replayId) };
  },
  async stopReplay({ storeId, principal, params }) {
    await stopReplay(context, storeId, principal, params.id, params.replayId);
  },
});
