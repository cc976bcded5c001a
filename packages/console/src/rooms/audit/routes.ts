import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

export const auditRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'audit',
    validateSearch: listSearch('actor', 'action'),
    component: lazyRouteComponent(() => import('./index.tsx'), 'Audit'),
  }),
];
