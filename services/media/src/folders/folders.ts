import { newId, storeLimits } from '@waybill/contracts';
import { violatedConstraint } from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  deleteFolderRow,
  type Folder,
  findFolder,
  findHeight,
  insertFolder,
  listAncestors,
  listFolders,
  lockEmptyFolder,
  lockFolderCount,
  updateFolder,
} from './queries.ts';
import type { MediaFolder } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

const maxDepth = 20;

/**
 * Creates a folder in another, or at the root.
 * @throws not_found (the parent), duplicate_name, too_many_folders
 */
export async function createFolder(
  trx: Trx,
  storeId: string,
  { name, parentId = null }: { name: string; parentId?: string | null },
): Promise<MediaFolder> {
  const count = await lockFolderCount(trx, storeId);
  const path = await pathTo(trx, storeId, parentId);
  if (count >= storeLimits.mediaFolders || path.length >= maxDepth) throw errors.too_many_folders();
  const folder = { id: newId('mediaFolder'), name, parentId };
  return toMediaFolder(await rejectDuplicateName(insertFolder(trx, storeId, folder, new Date())));
}

/** Returns a folder with its subfolders. Throws `not_found`. */
export async function getFolder(db: Db, storeId: string, id: string): Promise<MediaFolder> {
  const folder = buildNodes(await listFolders(db, storeId)).get(id);
  if (!folder) throw errors.not_found();
  return folder;
}

/**
 * Renames a folder or moves it with its contents; omitted fields stay. Writes nothing when no value differs
 * (`decisions.md 16.1`).
 * @throws not_found (the folder or the parent), cycle_detected, duplicate_name, too_many_folders when the tree would be
 * too deep
 */
export async function changeFolder(
  trx: Trx,
  storeId: string,
  id: string,
  patch: { name?: string; parentId?: string | null },
): Promise<MediaFolder> {
  // Two moves into each other must take turns, or they would form a cycle.
  await lockFolderCount(trx, storeId);
  const folder = await findFolder(trx, storeId, id);
  if (!folder) throw errors.not_found();
  const { name = folder.name, parentId = folder.parent_id } = patch;
  if (parentId !== folder.parent_id) {
    const path = await pathTo(trx, storeId, parentId);
    if (path.includes(id)) throw errors.cycle_detected();
    if (path.length + (await findHeight(trx, storeId, id)) > maxDepth) throw errors.too_many_folders();
  }
  if (name !== folder.name || parentId !== folder.parent_id) {
    await rejectDuplicateName(updateFolder(trx, storeId, id, { name, parentId }));
  }
  return buildNodes(await listFolders(trx, storeId)).get(id)!;
}

/**
 * Deletes a folder that contains nothing, not even in the trash.
 * @throws not_found, folder_not_empty
 */
export async function deleteFolder(trx: Trx, storeId: string, id: string): Promise<void> {
  await lockFolderCount(trx, storeId);
  const state = await lockEmptyFolder(trx, storeId, id);
  if (state === 'missing') throw errors.not_found();
  if (state === 'full') throw errors.folder_not_empty();
  await deleteFolderRow(trx, storeId, id);
}

/**
 * Returns the ids of a folder and of all folders above it; none for the root.
 * @throws not_found
 */
async function pathTo(trx: Trx, storeId: string, id: string | null): Promise<string[]> {
  const path = id === null ? [] : await listAncestors(trx, storeId, id);
  if (id !== null && path.length === 0)
    throw errors.not_found({ message: 'This media folder does not exist.' });
  return path;
}

function rejectDuplicateName<Result>(change: Promise<Result>): Promise<Result> {
  return change.catch((error: unknown) => {
    throw violatedConstraint(error) === 'media_folder_name_key' ? errors.duplicate_name() : error;
  });
}

/** Returns the folders at the root, each with its subfolders. Every list keeps the order of `folders`. */
export function buildTree(folders: readonly Folder[]): MediaFolder[] {
  return [...buildNodes(folders).values()].filter(({ parentId }) => parentId === null);
}

/** Returns the folders by id, each with its subfolders. */
function buildNodes(folders: readonly Folder[]): ReadonlyMap<string, MediaFolder> {
  const byId = new Map(folders.map((folder) => [folder.id, toMediaFolder(folder)]));
  for (const folder of byId.values()) byId.get(folder.parentId ?? '')?.children.push(folder);
  return byId;
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
