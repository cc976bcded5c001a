import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';

export const searchTypes = ['product', 'order', 'customer', 'page', 'article', 'media'] as const;

export const Found = Type.Object({
  hits: Type.Array(
    Type.Object({
      type: Type.Enum([...searchTypes]),
      id: Type.String(),
      title: Type.String({ examples: ['Earl Grey'] }),
      subtitle: Type.String({ examples: ['earl-grey'] }),
    }),
  ),
  unavailable: Type.Optional(
    Type.Array(Type.Enum([...searchTypes]), {
      description: 'The types that could not be searched this time.',
    }),
  ),
});
export type Found = Static<typeof Found>;

/** Routes of the search: `decisions.md 10.3`. */
export const routes = defineRoutes({
  search: {
    method: 'GET',
    path: '/api/stores/{storeId}/search',
    access: { member: 'any' },
    summary: 'Search all resources of the store that your role may read',
    description: 'At most five of each type; exact matches come first, then prefix matches.',
    ids: { storeId: 'store' },
    query: Type.Object({
      q: Type.String({ default: '', description: 'Every word must occur, as in the list of each type.' }),
    }),
    answer: [200, Found],
  },
});
