import { MediaUse, MediaUsesQuery } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** Routes of media uses: `decisions.md 16.2`. */
export const routes = defineRoutes({
  listMediaUses: {
    method: 'POST',
    path: '/internal/catalog/media-uses',
    access: 'service',
    summary: 'List the products and categories that use assets, for media',
    body: MediaUsesQuery,
    answer: [200, Type.Object({ uses: Type.Array(MediaUse) })],
  },
});
