import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

export const storesRoutes = (inside: AnyRoute) => [
  createRoute({
    getParentRoute: () => inside,
    path: 'stores',
    validateSearch: listSearch(),
    // A chunk of its own, because a new user has no list yet.
    component: lazyScreen(() => import('./list.tsx'), 'StoreList'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'stores/new',
    component: lazyScreen(() => import('./index.tsx'), 'NewStore'),
  }),
];
