import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./list.tsx');

export const pageRoutes: readonly Route[] = [
  {
    path: 'pages',
    screen: lazyScreen(loadFeature, 'PageList'),
  },
  {
    path: 'pages/:pageId',
    screen: lazyScreen(() => import('./page.tsx'), 'PageScreen'),
  },
  {
    path: 'pages/:pageId/preview',
    search: listSearch('revision', 'locale'),
    screen: lazyScreen(() => import('./preview.tsx'), 'PagePreview'),
  },
];
