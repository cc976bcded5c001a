import type { Handlers, ServiceContext } from '@waybill/kernel';
import { throwUnavailable } from '@waybill/object-store';
import { findAsset } from '../assets/queries.ts';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import { requireStore } from '../store.ts';
import type { Tables } from '../tables.ts';
import { renderLogo } from './logo.ts';
import type { routes } from './routes.ts';

export const handlers = ({
  config,
  db,
  log,
}: ServiceContext<Config, Tables>): Handlers<typeof routes, Tables> => ({
  renderLogo: ({ body: { storeId, id } }) =>
    throwUnavailable(log, async () => {
      const asset = await findAsset(db, storeId, id);
      const png = asset && (await renderLogo(requireStore(config), asset));
      if (!png) throw errors.not_found();
      return { png: png.toString('base64') };
    }),
});
