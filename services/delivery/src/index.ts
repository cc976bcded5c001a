import { defineService } from '@waybill/kernel';
import { callWorkers } from './calls.ts';
import { type Config, config } from './config.ts';
import { createSender, type Sender } from './sending/send.ts';

const senders = new WeakMap<object, Sender>();

/** Signs and sends webhook calls: no database, no state, as many copies as it takes. `store-api.md 6`. */
export const delivery = defineService<Config, unknown>({
  name: 'delivery',
  config,
  aggregates: [],
  workers(context) {
    const sender = createSender({ trustedTargets: context.config.trustedTargets });
    senders.set(context, sender);
    return callWorkers(context, sender);
  },
  close: async (context) => senders.get(context)?.close(),
});
