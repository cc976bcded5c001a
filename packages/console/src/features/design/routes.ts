import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const designRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'design',
    component: lazyScreen(loadFeature, 'Design'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'design/theme',
    component: lazyScreen(() => import('./theme.tsx'), 'ThemeScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'design/$kind',
    component: lazyScreen(loadFeature, 'TemplatePreview'),
  }),
];
