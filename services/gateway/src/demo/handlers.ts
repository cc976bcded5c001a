import { errors } from '@waybill/contracts';
import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { readDemoAccounts } from './demo.ts';
import type { routes } from './routes.ts';

export const handlers = ({ config }: ServiceContext<Config>): Handlers<typeof routes> => ({
  async readDemoAccounts(request) {
    const found = await readDemoAccounts(config, request);
    if (!found) throw errors.not_found();
    return found;
  },
});
