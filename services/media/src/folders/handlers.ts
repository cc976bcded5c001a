import type { Handlers, Lock, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import type { Tables } from '../tables.ts';
import { buildTree, changeFolder, createFolder, deleteFolder, getFolder } from './folders.ts';
import { listFolders, lockFolderCount } from './queries.ts';
import type { routes } from './routes.ts';

/** Creates the lock for changes of a store's folders: their number and the depth of their tree are limited. */
export const lock =
  (): Lock =>
  ({ storeId }, { trx }) =>
    lockFolderCount(trx, storeId);

export function handlers({ db: pool }: ServiceContext<Config, Tables>): Handlers<typeof routes, Tables> {
  return {
    async listMediaFolders({ storeId }) {
      const folders = await listFolders(pool, storeId);
      return { mediaFolders: buildTree(folders), total: folders.length };
    },
    createMediaFolder: {
      async write({ storeId, body }, { trx }) {
        return { mediaFolder: await createFolder(trx, storeId, body) };
      },
    },
    async getMediaFolder({ storeId, params, db }) {
      return { mediaFolder: await getFolder(db, storeId, params.id) };
    },
    updateMediaFolder: {
      async write({ storeId, params, body }, { trx }) {
        return { mediaFolder: await changeFolder(trx, storeId, params.id, body) };
      },
    },
    deleteMediaFolder: {
      async write({ storeId, params }, { trx }) {
        await deleteFolder(trx, storeId, params.id);
      },
    },
  };
}
