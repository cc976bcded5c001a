import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { listMediaUses } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db }: Context): Handlers<typeof routes> => ({
  // Visitors see neither orders nor customers.
  listMediaUses: async ({ body }) => ({ uses: body.liveOnly ? [] : await listMediaUses(db, body) }),
});
