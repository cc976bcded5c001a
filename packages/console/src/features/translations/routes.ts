import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const translationRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'translations',
    validateSearch: listSearch('locale', 'kind'),
    component: lazyScreen(loadFeature, 'TranslationList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'translations/$locale/$kind/$itemId',
    component: lazyScreen(loadFeature, 'TranslationScreen'),
  }),
];
