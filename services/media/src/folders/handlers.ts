import type { Handlers, Lock, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { requireStore } from '../store.ts';
import type { Tables } from '../tables.ts';
import { changeFolder, createFolder, deleteFolder, getFolder, treeOf } from './folders.ts';
import { listFolders, lockFolderCount } from './queries.ts';
import type { routes } from './routes.ts';

export const lock =
  ({ transaction }: ServiceContext<Config, Tables>): Lock =>
  ({ storeId }) =>
    transaction((trx) => lockFolderCount(trx, storeId));

export function handlers(context: ServiceContext<Config, Tables>): Handlers<typeof routes> {
  const { config, db, transaction } = context;
  return {
    async listMediaFolders({ storeId }) {
      requireStore(config);
      const folders = await listFolders(db, storeId);
      return { mediaFolders: treeOf(folders), total: folders.length };
    },
    async createMediaFolder({ storeId, body }) {
      requireStore(config);
      return { mediaFolder: await createFolder(transaction, storeId, body) };
    },
    async getMediaFolder({ storeId, params }) {
      requireStore(config);
      return { mediaFolder: await getFolder(db, storeId, params.id) };
    },
    async updateMediaFolder({ storeId, params, body }) {
      requireStore(config);
      return { mediaFolder: await changeFolder(transaction, storeId, params.id, body) };
    },
    async deleteMediaFolder({ storeId, params }) {
      requireStore(config);
      await deleteFolder(transaction, storeId, params.id);
    },
  };
}
