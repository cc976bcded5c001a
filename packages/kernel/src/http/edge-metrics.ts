import type { ServerResponse } from 'node:http';
import { doorInFlight, doorSeconds } from '../operations/metrics.ts';
import type { Handler } from './server.ts';

/** The header by which a process behind the door says which route has answered; clients do not get it. */
export const routeHeader = 'x-waybill-route';

interface Answer extends ServerResponse {
  /** A method and a path with its parameters by name, as the route's row has them. */
  answeredBy?: string;
}

/** Says which route answers: `GET /api/v1/products/{id}`. The address that a client has sent is no name of a metric. */
export function noteRoute(res: ServerResponse, route: string): void {
  (res as Answer).answeredBy = route;
}

/** What no route has answered: what was refused at the door, files of the console, addresses that nobody has. */
const noRoute = 'none';
/** A neighbour of any version names them: more than all that there are, and a bound. */
const maxRoutes = 1_000;
const routes = new Set<string>();

function labelOf(route: string): string {
  if (routes.has(route)) return route;
  if (routes.size >= maxRoutes) return 'other';
  routes.add(route);
  return route;
}

/** Measures what comes in at the public port by the route that answers it. `decisions.md 18.5` */
export function measured(handler: Handler): Handler {
  return (req, res) => {
    const started = performance.now();
    doorInFlight.inc();
    res.once('close', () => {
      doorInFlight.dec();
      const route = labelOf((res as Answer).answeredBy ?? noRoute);
      const status = res.headersSent ? `${Math.floor(res.statusCode / 100)}xx` : 'gone';
      doorSeconds.observe({ route, status }, (performance.now() - started) / 1000);
    });
    handler(req, res);
  };
}
