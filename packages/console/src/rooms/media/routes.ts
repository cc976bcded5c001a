import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const mediaRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'media',
    validateSearch: listSearch('folderId', 'kind', 'trashed'),
    component: lazyRouteComponent(room, 'MediaList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'media/$mediaId',
    component: lazyRouteComponent(room, 'MediaScreen'),
  }),
];
