import { getNetwork, type Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import type { Tables } from '../tables.ts';
import type { routes } from './routes.ts';
import { confirmTotp, removeTotp, startTotp } from './second-factor.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  startTotp: { write: ({ principal }, write) => startTotp(write, context, principal.userId) },
  confirmTotp: {
    write: async ({ principal, body }, write) => ({
      recoveryCodes: await confirmTotp(write, context, principal.userId, body.code),
    }),
  },
  removeTotp: {
    write: ({ principal: { userId, email }, body, address }, write) =>
      removeTotp(write, context, { userId, email, code: body.code, network: getNetwork(address) }),
  },
});
