import { type Handlers, networkOf } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { deleteAccount } from './departures.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  deleteMe: ({ principal: { userId, email }, body, address }) =>
    deleteAccount(context, userId, { email, ...body, network: networkOf(address) }),
});
