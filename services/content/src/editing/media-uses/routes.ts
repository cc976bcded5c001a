import { MediaUse, MediaUsesQuery } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** `decisions.md 16.2`. */
export const routes = defineRoutes({
  listMediaUses: {
    method: 'POST',
    path: '/internal/content/media-uses',
    access: 'service',
    summary: 'List the pages, articles and sections that use assets, including drafts, for media',
    body: MediaUsesQuery,
    answer: [200, Type.Object({ uses: Type.Array(MediaUse) })],
  },
});
