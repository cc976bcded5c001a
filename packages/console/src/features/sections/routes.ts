import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const sectionRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'sections',
    validateSearch: listSearch(),
    component: lazyScreen(loadFeature, 'SectionList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'sections/$sectionId',
    component: lazyScreen(loadFeature, 'SectionScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'sections/$sectionId/preview',
    validateSearch: listSearch('revision'),
    component: lazyScreen(() => import('./preview.tsx'), 'SectionPreview'),
  }),
];
