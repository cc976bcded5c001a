import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./list.tsx');

export const mediaRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'media',
    validateSearch: listSearch('folderId', 'kind', 'trashed'),
    component: lazyScreen(loadFeature, 'MediaList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'media/$mediaId',
    component: lazyScreen(() => import('./file.tsx'), 'MediaScreen'),
  }),
];
