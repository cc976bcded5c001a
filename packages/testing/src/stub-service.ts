import {
  aggregate,
  defineConfig,
  defineRoutes,
  defineService,
  type RouteDefinition,
  type ServiceDefinition,
} from '@waybill/kernel';
import Type from 'typebox';

/** A request to a stand-in: the path's parameters by name, and the body as it was sent. */
interface StubRequest {
  // biome-ignore lint/suspicious/noExplicitAny: a stand-in does not check requests, and decides their types itself
  params: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  body: any;
  url: string;
}

/**
 * Stands in for a service as its callers see it: it answers an internal address, such as
 * `'POST /internal/assets/lookup'`, with `200`. An error that an answer throws is sent as a service would send it.
 */
export function createStubService(
  name: string,
  answers: Readonly<Record<string, (request: StubRequest) => unknown>>,
): ServiceDefinition {
  const body = Type.Object({}, { additionalProperties: true });
  const routes: Record<string, RouteDefinition> = {};
  for (const address of Object.keys(answers)) {
    const [method, path] = address.split(' ') as ['GET' | 'POST', RouteDefinition['path']];
    routes[address] = {
      method,
      path,
      access: 'service',
      summary: `As ${name} answers`,
      answer: [200, Type.Unknown()],
      ...(method === 'POST' && { body }),
    };
  }
  return defineService({
    name,
    config: defineConfig(Type.Object({})),
    aggregates: [
      aggregate(
        defineRoutes(routes),
        () =>
          Object.fromEntries(
            Object.entries(answers).map(([address, answer]) => [
              address,
              async (request: StubRequest) => answer(request),
            ]),
          ) as never,
      ),
    ],
  });
}
