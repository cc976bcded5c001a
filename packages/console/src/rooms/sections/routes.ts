import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const sectionRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'sections',
    validateSearch: listSearch(),
    component: lazyRouteComponent(room, 'SectionList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'sections/$sectionId',
    component: lazyRouteComponent(room, 'SectionScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'sections/$sectionId/preview',
    validateSearch: listSearch('revision'),
    component: lazyRouteComponent(() => import('./preview.tsx'), 'SectionPreview'),
  }),
];
