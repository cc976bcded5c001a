import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

export const auditRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'audit',
    validateSearch: listSearch('actor', 'action'),
    component: lazyScreen(() => import('./index.tsx'), 'Audit'),
  }),
];
