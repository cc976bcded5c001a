import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

export const memberRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'members',
    validateSearch: listSearch(),
    component: lazyScreen(() => import('./index.tsx'), 'Members'),
  }),
];
