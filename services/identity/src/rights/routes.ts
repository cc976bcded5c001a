import { maxHolders, type Rights } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

export const routes = defineRoutes({
  lookUpRights: {
    method: 'POST',
    path: '/internal/rights/lookup',
    access: 'service',
    summary: 'Read the current permissions of API keys and users; of a revoked key its former ones',
    body: Type.Object({
      holders: Type.Array(Type.Object({ storeId: Type.String(), id: Type.String() }), {
        maxItems: maxHolders,
      }),
    }),
    answer: [200, Type.Object({ rights: Type.Array(Type.Unsafe<Rights>({})) })],
  },
});
