import { newId } from '@waybill/contracts';
import { type ServiceContext, violatedConstraint } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { type Folder, findDepth, insertFolder, lockFolderCount } from './queries.ts';
import type { MediaFolder } from './routes.ts';

type RunTransaction = ServiceContext<Config, Tables>['transaction'];

const maxFolders = 1000;
const maxDepth = 20;

/**
 * Creates a folder in another, or at the root.
 * @throws not_found (the parent), duplicate_name, too_many_folders
 */
export async function createFolder(
  transaction: RunTransaction,
  storeId: string,
  { name, parentId = null }: { name: string; parentId?: string | null },
): Promise<MediaFolder> {
  try {
    const folder = await transaction(async (trx) => {
      const count = await lockFolderCount(trx, storeId);
      const depth = parentId === null ? 0 : await findDepth(trx, storeId, parentId);
      if (parentId !== null && depth === 0) throw errors.not_found();
      if (count >= maxFolders || depth >= maxDepth) throw errors.too_many_folders();
      return insertFolder(trx, storeId, { id: newId('mediaFolder'), name, parentId }, new Date());
    });
    return toMediaFolder(folder);
  } catch (error) {
    if (violatedConstraint(error) === 'media_folder_name_key') throw errors.duplicate_name();
    throw error;
  }
}

/** The folders at the root, each with those in it; every list in the order of `folders`. */
export function treeOf(folders: readonly Folder[]): MediaFolder[] {
  const byId = new Map(folders.map((folder) => [folder.id, toMediaFolder(folder)]));
  const roots: MediaFolder[] = [];
  for (const folder of byId.values()) (byId.get(folder.parentId ?? '')?.children ?? roots).push(folder);
  return roots;
}

function toMediaFolder({ id, name, parent_id, created_at, updated_at }: Folder): MediaFolder {
  return {
    id,
    name,
    parentId: parent_id,
    children: [],
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
  };
}
