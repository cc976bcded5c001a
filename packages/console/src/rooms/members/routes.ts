import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

export const memberRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'members',
    validateSearch: listSearch(),
    component: lazyRouteComponent(() => import('./index.tsx'), 'Members'),
  }),
];
