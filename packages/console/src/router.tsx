import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { meQuery } from './api/me.ts';
import { queries } from './api/queries.ts';
import { session } from './api/session.ts';
import { base, paths } from './paths.ts';
import { customerRoutes } from './rooms/customers/routes.ts';
import { doorRoutes } from './rooms/door/routes.ts';
import { homeRoutes } from './rooms/home/routes.ts';
import { orderRoutes } from './rooms/orders/routes.ts';
import { productRoutes } from './rooms/products/routes.ts';
import { storesRoutes } from './rooms/stores/routes.ts';
import { Coming, Failed, NotFound } from './shell/problems.tsx';

const root = createRootRoute({ component: Outlet, beforeLoad: () => session.begin() });

/** For who is signed in. Who is not goes to the door, and comes back to where they wanted to go. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: lazyRouteComponent(() => import('./shell/frame.tsx'), 'Frame'),
  async beforeLoad({ location }) {
    if (session.read().is !== 'signedIn') throw redirect({ href: paths.signIn(base + location.href) });
    await queries.ensureQueryData(meQuery);
  },
});

const start = createRoute({
  getParentRoute: () => inside,
  path: '/',
  async beforeLoad() {
    const { stores } = await queries.ensureQueryData(meQuery);
    const last = stores.find(({ id }) => id === localStorage.getItem('waybill.store')) ?? stores[0];
    throw redirect({ href: last ? paths.store(last.id) : paths.newStore });
  },
});

const store = createRoute({ getParentRoute: () => inside, path: 'stores/$storeId', component: Outlet });

export const router = createRouter({
  routeTree: root.addChildren([
    ...doorRoutes(root),
    inside.addChildren([
      start,
      ...storesRoutes(inside),
      store.addChildren([...homeRoutes(store), ...productRoutes(store), ...orderRoutes(store), ...customerRoutes(store)]),
    ]),
  ]),
  basepath: base,
  defaultPendingComponent: Coming,
  defaultErrorComponent: Failed,
  defaultNotFoundComponent: NotFound,
  defaultPendingMs: 150,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
