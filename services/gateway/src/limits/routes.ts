import { errors, StoreLimit } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** Routes of limits: `decisions.md 19.13`. */
export const routes = defineRoutes({
  listStoreLimits: {
    method: 'GET',
    path: '/api/stores/{storeId}/limits',
    access: { member: 'any' },
    summary: 'List the limits of a store and their usage',
    description:
      'Creating more than a limit allows is rejected with `409 too_many_…`, or `413 quota_exceeded` for limits ' +
      'in bytes.',
    ids: { storeId: 'store' },
    answer: [200, Type.Object({ limits: Type.Array(StoreLimit) })],
    errors: [errors.resource_unavailable],
  },
});
