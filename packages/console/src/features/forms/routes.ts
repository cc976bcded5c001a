import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const formRoutes: readonly Route[] = [
  {
    path: 'forms',
    search: listSearch('formId'),
    screen: lazyScreen(loadFeature, 'SubmissionList'),
  },
  {
    path: 'forms/:submissionId',
    screen: lazyScreen(loadFeature, 'SubmissionScreen'),
  },
];
