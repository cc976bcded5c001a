import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./list.tsx');

export const mediaRoutes: readonly Route[] = [
  {
    path: 'media',
    search: listSearch('folderId', 'kind', 'trashed'),
    screen: lazyScreen(loadFeature, 'MediaList'),
  },
  {
    path: 'media/:mediaId',
    screen: lazyScreen(() => import('./file.tsx'), 'MediaScreen'),
  },
];
