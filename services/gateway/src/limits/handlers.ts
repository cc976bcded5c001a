import type { StoreLimit } from '@waybill/contracts';
import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { forwardedServices } from '../prefixes.ts';
import type { routes } from './routes.ts';

export const handlers = ({ peers }: ServiceContext<Config>): Handlers<typeof routes> => ({
  /** @throws resource_unavailable if one of the services cannot be reached */
  async listStoreLimits({ storeId }) {
    const parts = await Promise.all(
      forwardedServices.filter(peers.has).map(async (service) => {
        const path = `/internal/limits/${service}`;
        // Services without limits, and copies of the previous version, have no such route.
        const part = await peers.call<{ limits: StoreLimit[] }>(service, 'POST', path, { storeId });
        return part?.limits ?? [];
      }),
    );
    return { limits: parts.flat() };
  },
});
