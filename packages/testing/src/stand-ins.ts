import {
  aggregate,
  defineConfig,
  defineRoutes,
  defineService,
  type RouteDefinition,
  type ServiceDefinition,
} from '@waybill/kernel';
import Type from 'typebox';

/** What somebody asks of a stand-in: the path's parameters by name, and the body as it was sent. */
interface Asked {
  // biome-ignore lint/suspicious/noExplicitAny: what comes is not checked, and a stand-in says what it takes it for
  params: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  body: any;
  url: string;
}

/**
 * A service as far as others ask it, in its place: what it answers at which internal address, say
 * `'POST /internal/assets/lookup'`, with `200`. An error that it throws is answered as a service's own are.
 */
export function standIn(
  name: string,
  answers: Readonly<Record<string, (asked: Asked) => unknown>>,
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
              async (asked: Asked) => answer(asked),
            ]),
          ) as never,
      ),
    ],
  });
}
