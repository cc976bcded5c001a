import { type ApiDescription, describeApi, type Log, mergeDescriptions, type Peers } from '@waybill/kernel';
import { routes as auditRoutes } from '../audit/routes.ts';
import { routes as demoRoutes } from '../demo/routes.ts';
import { routes as searchRoutes } from '../search/routes.ts';
import { shareLookUps } from '../shared-look-ups.ts';
import { routes } from './routes.ts';

const freshMs = 60_000;

const introduction = `The public API of one store (\`/api/v1\`, with an API key or an app token) and the merchant's
interface (\`/api\`, with a user's access token), which has every resource of the public API below
\`/api/stores/{storeId}\`, with the member's role in place of scopes. Every error is \`{ error, code }\`. Lists take
\`limit\` (50, at most 200) and either \`offset\` or \`after\`, the \`nextCursor\` of the page before: that goes
through a list of any length at the same speed, and what comes or goes meanwhile makes nothing appear twice or be
missed. \`fields\` leaves out of an answer what is not asked for. Each credential may make a limited number of requests; see the
\`RateLimit\` header.`;

const info = {
  title: 'Waybill',
  version: '1',
  description: introduction,
  license: { name: 'MIT', identifier: 'MIT' },
};

/** The OpenAPI 3.1 document, merged from what every service says of itself, so that services deploy alone. */
export function createApiDocument(peers: Peers, services: () => readonly string[], log: Log) {
  const known = new Map<string, ApiDescription>([
    ['gateway', describeApi('gateway', [routes, searchRoutes, auditRoutes, demoRoutes])],
  ]);
  const shared = shareLookUps<string>();
  let text = '';
  let madeAt = Number.NEGATIVE_INFINITY;

  async function upToDate(): Promise<string> {
    if (performance.now() - madeAt < freshMs) return text;
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
          log.warn({ err, service }, 'the API document keeps what it knew of a service');
        }
      }),
    );
    text = JSON.stringify(mergeDescriptions(info, [...known.values()]));
    madeAt = performance.now();
    return text;
  }

  return { text: () => shared('document', upToDate) };
}
