import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import type { routes } from './routes.ts';
import { searchEverything } from './search.ts';

export const handlers = ({ peers, log }: ServiceContext<Config>): Handlers<typeof routes> => ({
  search: ({ storeId, principal, query }) => searchEverything(peers, log, storeId, principal.role!, query.q),
});
