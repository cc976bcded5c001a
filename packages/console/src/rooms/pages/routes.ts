import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

const room = () => import('./index.tsx');

export const pageRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'pages',
    component: lazyRouteComponent(room, 'PageList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'pages/$pageId',
    component: lazyRouteComponent(room, 'PageScreen'),
  }),
];
