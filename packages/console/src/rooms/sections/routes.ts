import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const room = () => import('./index.tsx');

export const sectionRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'sections',
    validateSearch: listSearch(),
    component: lazyScreen(room, 'SectionList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'sections/$sectionId',
    component: lazyScreen(room, 'SectionScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'sections/$sectionId/preview',
    validateSearch: listSearch('revision'),
    component: lazyScreen(() => import('./preview.tsx'), 'SectionPreview'),
  }),
];
