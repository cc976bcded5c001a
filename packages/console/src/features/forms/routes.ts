import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const formRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'forms',
    validateSearch: listSearch('formId'),
    component: lazyScreen(loadFeature, 'SubmissionList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'forms/$submissionId',
    component: lazyScreen(loadFeature, 'SubmissionScreen'),
  }),
];
