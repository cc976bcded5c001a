import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const formRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'forms',
    validateSearch: listSearch('formId'),
    component: lazyRouteComponent(room, 'SubmissionList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'forms/$submissionId',
    component: lazyRouteComponent(room, 'SubmissionScreen'),
  }),
];
