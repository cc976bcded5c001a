import type { BlockUse } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** `decisions.md 14.8`. */
export const routes = defineRoutes({
  listBlockUses: {
    method: 'POST',
    path: '/internal/block-uses',
    access: 'service',
    summary: "List the uses of an app's blocks, including drafts, for the app platform",
    body: Type.Object({
      storeId: Type.String(),
      appId: Type.String(),
      blockKeys: Type.Optional(Type.Array(Type.String(), { maxItems: 1000 })),
    }),
    answer: [200, Type.Object({ uses: Type.Array(Type.Unsafe<BlockUse>(Type.Object({}))) })],
  },
});
