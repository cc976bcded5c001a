import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const translationRoutes: readonly Route[] = [
  {
    path: 'translations',
    search: listSearch('locale', 'kind'),
    screen: lazyScreen(loadFeature, 'TranslationList'),
  },
  {
    path: 'translations/:locale/:kind/:itemId',
    screen: lazyScreen(loadFeature, 'TranslationScreen'),
  },
];
