import { apiInfo } from '@waybill/contracts';
import {
  type ApiDescription,
  describeApi,
  type Log,
  mergeDescriptions,
  type Peers,
  singleFlight,
} from '@waybill/kernel';
import { routes as auditRoutes } from '../audit/routes.ts';
import { routes as demoRoutes } from '../demo/routes.ts';
import { routes as limitRoutes } from '../limits/routes.ts';
import { routes as searchRoutes } from '../search/routes.ts';
import { routes } from './routes.ts';

const freshMs = 60_000;

/** A placeholder that each request replaces by the address at which its reader reaches the system. */
const placeholderOrigin = 'http://waybill.invalid';

/**
 * Creates the OpenAPI 3.1 document. It merges the descriptions that the services give of themselves, so that services
 * deploy independently. `baseUrl` has no slash at the end.
 */
export function createApiDocument(peers: Peers, services: () => readonly string[], log: Log) {
  const known = new Map<string, ApiDescription>([
    ['gateway', describeApi([routes, searchRoutes, auditRoutes, limitRoutes, demoRoutes])],
  ]);
  const shared = singleFlight<readonly string[]>();
  let parts: readonly string[] = [];
  let builtAt = Number.NEGATIVE_INFINITY;

  async function refreshParts(): Promise<readonly string[]> {
    if (performance.now() - builtAt < freshMs) return parts;
    await Promise.all(
      services().map(async (service) => {
        try {
          const description = await peers.call<ApiDescription>(
            service,
            'GET',
            `/internal/openapi/${service}`,
          );
          if (description) known.set(service, description);
        } catch (err) {
          log.warn({ err, service }, 'the API document keeps the last known description of a service');
        }
      }),
    );
    parts = JSON.stringify(mergeDescriptions(apiInfo, [...known.values()], placeholderOrigin)).split(
      placeholderOrigin,
    );
    builtAt = performance.now();
    return parts;
  }

  return { text: async (baseUrl: string) => (await shared('document', refreshParts)).join(baseUrl) };
}
