import { getNetwork, type Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { deleteAccount } from './departures.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  deleteMe({ principal: { userId, email }, body, address, idempotentWrite }) {
    // The password is checked before the transaction begins, because hashing takes time.
    const transaction: Context['transaction'] = (work) => idempotentWrite.commit(({ trx }) => work(trx));
    const credentials = { email, ...body, network: getNetwork(address) };
    return deleteAccount({ ...context, transaction }, userId, credentials);
  },
});
