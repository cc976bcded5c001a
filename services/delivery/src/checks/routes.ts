import { type CallCheck, checkPath, type DeliveryJob } from '@waybill/contracts';
import { defineRoutes, type Handlers, type ServiceContext } from '@waybill/kernel';
import Type from 'typebox';
import type { Config } from '../config.ts';
import type { Destination } from '../destination.ts';
import { checkCall } from './checks.ts';

/**
 * Internal routes, not exposed by the gateway. Webhooks calls them because it knows the endpoints but makes no calls
 * itself.
 */
export const routes = defineRoutes({
  checkCall: {
    method: 'POST',
    path: checkPath,
    access: 'service',
    summary: 'Make an unrecorded test call and report the problems of the endpoint',
    body: Type.Object({ job: Type.Unsafe<DeliveryJob>(Type.Object({})) }),
    maxBodyBytes: 4 * 1024 * 1024,
    answer: [200, Type.Object({ checks: Type.Unsafe<CallCheck[]>(Type.Array(Type.Object({}))) })],
  },
});

export const handlers = (
  context: ServiceContext<Config, unknown, Required<Destination>>,
): Handlers<typeof routes> => ({
  checkCall: async ({ body: { job } }) => ({ checks: await checkCall(context, job) }),
});
