import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const sectionRoutes: readonly Route[] = [
  {
    path: 'sections',
    search: listSearch(),
    screen: lazyScreen(loadFeature, 'SectionList'),
  },
  {
    path: 'sections/:sectionId',
    screen: lazyScreen(loadFeature, 'SectionScreen'),
  },
  {
    path: 'sections/:sectionId/preview',
    search: listSearch('revision'),
    screen: lazyScreen(() => import('./preview.tsx'), 'SectionPreview'),
  },
];
