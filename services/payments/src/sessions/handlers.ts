import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { createProviders } from '../providers/providers.ts';
import { scheduleLookUp } from '../records/session-queries.ts';
import type { Tables } from '../tables.ts';
import type { routes } from './routes.ts';
import { openSession } from './sessions.ts';
import { executeStep } from './steps.ts';

/** Minimum time between two look-ups that a returning shopper causes. */
const refreshedEveryMs = 3_000;

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const providers = createProviders(context);
  return {
    openSession: {
      async handle({ body }) {
        return openSession(context, providers, body);
      },
    },
    async refreshSession({ body: { storeId, paymentId } }) {
      const now = new Date();
      await scheduleLookUp(context.db, storeId, paymentId, now, new Date(now.getTime() - refreshedEveryMs));
      context.wakeTask('look-up-payments');
      return {};
    },
    async takeStep({ body }) {
      return executeStep(context, providers, body);
    },
  };
};
