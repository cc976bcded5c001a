import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const eventRoutes: readonly Route[] = [
  {
    path: 'events',
    search: listSearch('type', 'period'),
    screen: lazyScreen(loadFeature, 'EventList'),
  },
  {
    path: 'events/:eventId',
    screen: lazyScreen(loadFeature, 'EventScreen'),
  },
];
