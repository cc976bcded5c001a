import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

const room = () => import('./index.tsx');

export const designRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'design',
    component: lazyRouteComponent(room, 'Design'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'design/theme',
    component: lazyRouteComponent(() => import('./theme.tsx'), 'ThemeScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'design/$kind',
    component: lazyRouteComponent(room, 'TemplatePreview'),
  }),
];
