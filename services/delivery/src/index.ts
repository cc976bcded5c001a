import { defineService } from '@waybill/kernel';
import { callWorkers } from './calls.ts';
import { type Config, config } from './config.ts';
import { createSender, type Sender } from './sending/send.ts';

/** Signs and sends webhook calls: no database, no state, as many copies as it takes. `store-api.md 6`. */
export const delivery = defineService<Config, unknown, Sender>({
  name: 'delivery',
  config,
  aggregates: [],
  start: ({ config: { trustedTargets } }) => createSender({ trustedTargets }),
  workers: (context) => callWorkers(context, context.state),
  close: ({ state: sender }) => sender.close(),
});
