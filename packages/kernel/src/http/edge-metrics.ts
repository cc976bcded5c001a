import type { ServerResponse } from 'node:http';
import { edgeInFlight, edgeSeconds } from '../operations/metrics.ts';
import type { Handler } from './server.ts';

/** The header by which a process behind the gateway says which route has answered; clients do not get it. */
export const routeHeader = 'x-waybill-route';

interface RoutedResponse extends ServerResponse {
  /** The method and path template of the route that answers. */
  answeredBy?: string;
}

/** Notes which route answers: `GET /api/v1/products/{id}`. A client's own path would make metrics without bound. */
export function noteRoute(res: ServerResponse, route: string): void {
  (res as RoutedResponse).answeredBy = route;
}

/** The label of what no route has answered: early refusals, the console's files, unknown addresses. */
const noRoute = 'none';
/** Services of any version name routes: this is more than there are, and a bound. */
const maxRoutes = 1_000;
const routes = new Set<string>();

function labelOf(route: string): string {
  if (routes.has(route)) return route;
  if (routes.size >= maxRoutes) return 'other';
  routes.add(route);
  return route;
}

/** Measures the requests at the public port by the route that answers them. `decisions.md 18.5` */
export function measureEdge(handler: Handler): Handler {
  return (req, res) => {
    const started = performance.now();
    edgeInFlight.inc();
    res.once('close', () => {
      edgeInFlight.dec();
      const route = labelOf((res as RoutedResponse).answeredBy ?? noRoute);
      const status = res.headersSent ? `${Math.floor(res.statusCode / 100)}xx` : 'gone';
      edgeSeconds.observe({ route, status }, (performance.now() - started) / 1000);
    });
    handler(req, res);
  };
}
