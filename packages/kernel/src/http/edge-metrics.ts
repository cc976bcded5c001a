import type { ServerResponse } from 'node:http';
import { edgeInFlight, edgeSeconds } from '../operations/metrics.ts';
import type { Handler } from './server.ts';

/** The header in which a process behind the gateway names the route that answered; clients do not get it. */
export const routeHeader = 'x-waybill-route';

interface RoutedResponse extends ServerResponse {
  /** The method and path template of the route that answers. */
  answeredBy?: string;
}

/**
 * Notes the route that answers: `GET /api/v1/products/{id}`. The path of the request would create metrics without
 * bound.
 */
export function recordRoute(res: ServerResponse, route: string): void {
  (res as RoutedResponse).answeredBy = route;
}

/** The label of requests that no route answered: early refusals, the console's files, unknown addresses. */
const noRoute = 'none';
/** Maximum number of routes as labels. Services of any version report routes, and there are fewer of them than this. */
const maxRoutes = 1_000;
const routes = new Set<string>();

function chooseLabel(route: string): string {
  if (routes.has(route)) return route;
  if (routes.size >= maxRoutes) return 'other';
  routes.add(route);
  return route;
}

/** Measures the requests at the public port by the route that answers them. `decisions.md 18.5` */
export function measureEdge(handler: Handler): Handler {
  return (req, res) => {
    const startedAt = performance.now();
    edgeInFlight.inc();
    res.once('close', () => {
      edgeInFlight.dec();
      const route = chooseLabel((res as RoutedResponse).answeredBy ?? noRoute);
      const status = res.headersSent ? `${Math.floor(res.statusCode / 100)}xx` : 'gone';
      edgeSeconds.observe({ route, status }, (performance.now() - startedAt) / 1000);
    });
    handler(req, res);
  };
}
