import { errors } from '@waybill/contracts';
import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import type { routes } from './routes.ts';

export const handlers = ({ state }: Context): Handlers<typeof routes> => ({
  async isDomainAllowed({ query: { domain } }) {
    if (!(await state.ownOrigins.isShown(domain))) throw errors.not_found();
    return { domain };
  },
});
