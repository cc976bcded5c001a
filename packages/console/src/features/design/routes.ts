import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const designRoutes: readonly Route[] = [
  {
    path: 'design',
    screen: lazyScreen(loadFeature, 'Design'),
  },
  {
    path: 'design/theme',
    screen: lazyScreen(() => import('./theme.tsx'), 'ThemeScreen'),
  },
  {
    path: 'design/:kind',
    screen: lazyScreen(loadFeature, 'TemplatePreview'),
  },
];
