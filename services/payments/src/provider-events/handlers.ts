import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import type { Tables } from '../tables.ts';
import { receiveEvent } from './provider-events.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async receiveEvent({ params, headers, stream }) {
    await receiveEvent(context, params.methodId, headers['stripe-signature'], stream);
    return {};
  },
});
