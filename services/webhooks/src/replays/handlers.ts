import type { Handlers } from '@waybill/kernel';
import type { Context } from '../context.ts';
import type { Tables } from '../tables.ts';
import { findRangeProblems, getReplay, listReplayPage, startReplay, stopReplay } from './replays.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  replayWebhook: {
    findProblems: async ({ body }) => findRangeProblems(body),
    write: async ({ storeId, principal, params, body }, write) => ({
      replay: await startReplay(write, context, storeId, principal, params.id, body),
    }),
  },
  listReplays({ storeId, principal, params, query }) {
    return listReplayPage(context.db, storeId, principal, params.id, query);
  },
  async getReplay({ storeId, principal, params, db }) {
    return { replay: await getReplay(db, storeId, principal, params.id, params.replayId) };
  },
  stopReplay: {
    write: ({ storeId, principal, params }, { trx }) =>
      stopReplay(trx, storeId, principal, params.id, params.replayId),
  },
});
