import { MediaUse, MediaUsesQuery } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** Routes of media uses: `decisions.md 16.2`. */
export const routes = defineRoutes({
  listMediaUses: {
    method: 'POST',
    path: '/internal/catalog/media-uses',
    access: 'service',
    summary: 'Which products and categories show assets, for media',
    body: MediaUsesQuery,
    answer: [200, Type.Object({ uses: Type.Array(MediaUse) })],
  },
});
