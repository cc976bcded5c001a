import { errors } from '@waybill/contracts';
import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { forwardedServices } from '../prefixes.ts';
import { readAudit } from './audit.ts';
import type { routes } from './routes.ts';

export const handlers = ({ peers }: ServiceContext<Config>): Handlers<typeof routes> => ({
  // Every service of the deployment has a database with its own part of the store's audit.
  listStoreAudit: ({ storeId, query }) =>
    readAudit(peers, forwardedServices.filter(peers.has), storeId, query),
  async listOrgAudit({ principal: { userId }, params: { orgId }, query }) {
    const path = '/internal/orgs/role';
    const member = await peers.call<{ role: string }>('app-platform', 'POST', path, { orgId, userId });
    if (!member) throw errors.not_found();
    if (member.role !== 'owner') throw errors.insufficient_role();
    return readAudit(peers, ['app-platform', 'identity'], orgId, query);
  },
});
