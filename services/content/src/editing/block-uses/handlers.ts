import { type BlockUse, maxBlockPlacements } from '@waybill/contracts';
import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { type BlockPlacements, listBlockPlacements } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db }: Context): Handlers<typeof routes> => ({
  async listBlockUses({ body: { storeId, appId, blockKeys = [] } }) {
    const found = await listBlockPlacements(db, storeId, appId, blockKeys, maxBlockPlacements);
    return { uses: found.map(toUse) };
  },
});

function toUse({ blockKey, places, hasMore }: BlockPlacements): BlockUse {
  const pages = places
    .filter(({ type, live }) => live && (type === 'page' || type === 'article'))
    .map(({ id, name }) => ({ id, name }));
  return { blockKey, pages, places, hasMore };
}
