import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Tables } from '../tables.ts';
import { listMediaUses } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db }: ServiceContext<object, Tables>): Handlers<typeof routes> => ({
  listMediaUses: async ({ body }) => ({ uses: await listMediaUses(db, body) }),
});
