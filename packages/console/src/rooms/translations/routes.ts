import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const room = () => import('./index.tsx');

export const translationRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'translations',
    validateSearch: listSearch('locale', 'kind'),
    component: lazyScreen(room, 'TranslationList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'translations/$locale/$kind/$thingId',
    component: lazyScreen(room, 'TranslationScreen'),
  }),
];
