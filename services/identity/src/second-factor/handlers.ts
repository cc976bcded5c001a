import { type Handlers, networkOf } from '@waybill/kernel';
import type { Context } from '../config.ts';
import type { routes } from './routes.ts';
import { confirmTotp, removeTotp, startTotp } from './second-factor.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  startTotp: ({ principal }) => startTotp(context, principal.userId),
  confirmTotp: async ({ principal, body }) => ({
    recoveryCodes: await confirmTotp(context, principal.userId, body.code),
  }),
  removeTotp: ({ principal: { userId, email }, body, address }) =>
    removeTotp(context, { userId, email, code: body.code, network: networkOf(address) }),
});
