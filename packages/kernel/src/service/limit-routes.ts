import { StoreLimit } from '@waybill/contracts';
import Type from 'typebox';
import { aggregate, defineRoutes } from '../http/route.ts';
import type { ServiceContext, ServiceDefinition } from './definition.ts';

const defineLimitRoutes = (service: string) =>
  defineRoutes({
    listLimits: {
      method: 'POST',
      path: `/internal/limits/${service}`,
      access: 'service',
      summary: "List the service's limits of a store, for the gateway",
      body: Type.Object({ storeId: Type.String() }),
      answer: [200, Type.Object({ limits: Type.Array(StoreLimit) })],
    },
  });

/** The route for limits of a service that limits stores. */
export const limitsAggregate = (service: string, limits: NonNullable<ServiceDefinition['limits']>) =>
  aggregate(defineLimitRoutes(service), (context: ServiceContext) => ({
    listLimits: async ({ body }) => ({ limits: await limits(context, body.storeId) }),
  }));
