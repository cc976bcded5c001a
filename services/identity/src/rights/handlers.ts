import { rolePermissions } from '@waybill/contracts';
import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { listHoldings } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db }: Context): Handlers<typeof routes> => ({
  async lookUpRights({ body }) {
    const holdings = await listHoldings(db, body.holders);
    return {
      rights: holdings.map(({ role, scopes }) =>
        (role ? rolePermissions[role] : []).filter((permission) => scopes?.includes(permission) ?? true),
      ),
    };
  },
});
