import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const translationRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'translations',
    validateSearch: listSearch('locale', 'kind'),
    component: lazyRouteComponent(room, 'TranslationList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'translations/$locale/$kind/$thingId',
    component: lazyRouteComponent(room, 'TranslationScreen'),
  }),
];
