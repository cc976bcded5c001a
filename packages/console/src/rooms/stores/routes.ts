import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

export const storesRoutes = (inside: AnyRoute) => [
  createRoute({
    getParentRoute: () => inside,
    path: 'stores',
    validateSearch: listSearch(),
    // Apart from the first step of everybody, who has no list yet.
    component: lazyRouteComponent(() => import('./list.tsx'), 'StoreList'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'stores/new',
    component: lazyRouteComponent(() => import('./index.tsx'), 'NewStore'),
  }),
];
