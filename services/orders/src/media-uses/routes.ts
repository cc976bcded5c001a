import { MediaUse, MediaUsesQuery } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** Routes of media uses: `decisions.md 16.2`. */
export const routes = defineRoutes({
  listMediaUses: {
    method: 'POST',
    path: '/internal/orders/media-uses',
    access: 'service',
    summary: 'List the orders and customers whose custom fields name assets, for media',
    body: MediaUsesQuery,
    answer: [200, Type.Object({ uses: Type.Array(MediaUse) })],
  },
});
