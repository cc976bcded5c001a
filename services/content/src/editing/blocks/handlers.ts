import type { InstalledApp } from '@waybill/contracts';
import type { Handlers } from '@waybill/kernel';
import type { Block } from '@waybill/page';
import type { Context } from '../../config.ts';
import { Lookups } from '../../publication/rendering/lookups.ts';
import type { CatalogueBlock, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listBlocks({ storeId }) {
    const apps = await new Lookups(context, storeId).apps();
    const blocks = [...apps.values()].flatMap(listCatalogueBlocks);
    return { blocks, total: blocks.length };
  },
});

function listCatalogueBlocks({
  appId,
  appName,
  versionId,
  versionNumber,
  blocks,
}: InstalledApp): CatalogueBlock[] {
  return (blocks as Block[]).map(({ key, name, icon, rootId, nodes, slots, traits }) => ({
    appId,
    appName,
    versionId,
    versionNumber,
    key,
    name,
    icon: icon ?? null,
    rootId,
    nodes: [...nodes],
    slots: [...(slots ?? [])],
    traits: [...(traits ?? [])],
  }));
}
