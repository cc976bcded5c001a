import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { createProviders } from '../providers/providers.ts';
import type { Tables } from '../tables.ts';
import { reconcile } from './reconciliation.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const providers = createProviders(context);
  return { getReconciliation: ({ storeId }) => reconcile(context, providers, storeId) };
};
