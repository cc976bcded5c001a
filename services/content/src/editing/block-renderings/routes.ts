import { defineRoutes } from '@waybill/kernel';
import type { Block } from '@waybill/page';
import Type from 'typebox';

/** `decisions.md 14.9`. */
export const routes = defineRoutes({
  renderBlock: {
    method: 'POST',
    path: '/internal/block-renderings',
    access: 'service',
    summary: 'Render a block with sample values, for the app platform',
    body: Type.Object({
      appId: Type.String(),
      block: Type.Unsafe<Block>(Type.Object({}, { additionalProperties: true })),
    }),
    answer: [200, Type.Object({ html: Type.String(), css: Type.String() })],
    idempotency: 'none',
  },
});
