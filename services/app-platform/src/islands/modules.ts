import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type IdempotentWrite, readBody } from '@waybill/kernel';
import { type ObjectStore, type StoredObject, throwUnavailable } from '@waybill/object-store';
import type { Context, Write } from '../config.ts';
import type { IslandRow } from '../contributions/queries.ts';
import { errors } from '../errors.ts';
import { markDraftChanged } from '../sweeps/draft-queries.ts';
import { lockVersion, updateVersionTime, type VersionRow } from '../versions/queries.ts';
import { findIsland, isInDevelopment, isModuleApproved, updateModule } from './queries.ts';
import { maxModuleBytes } from './routes.ts';

const objectKey = (sha256: string) => `islands/${sha256}.js`;

interface ModuleUpload {
  /** The name of the island. */
  name: string;
  contentType: string;
  body: Readable;
  idempotentWrite: IdempotentWrite;
}

/**
 * Sets the module of a draft's island from `body`. Equal bytes are stored once, and no module is ever overwritten,
 * because its key is its hash. Throws the codes of `store-api.md 7.3`, `not_draft`, and `invalid_body` for a media type
 * other than text/javascript.
 */
export async function putModule<Reply>(
  context: Context,
  version: Pick<VersionRow, 'id' | 'state'>,
  { name, contentType, body, idempotentWrite }: ModuleUpload,
  answer: (row: IslandRow) => Reply,
): Promise<Reply> {
  const { db, log } = context;
  const versionId = version.id;
  const findStore = async () => {
    if (version.state !== 'draft') throw errors.not_draft();
    await requireIsland(db, versionId, name);
    return requireModuleStore(context, contentType);
  };
  // Without a key, a request is refused before its module is read. With one, the answer to that module comes first.
  const foundStore = idempotentWrite.hasKey ? null : await findStore();
  const bytes = await readModule(body).catch(async (error: unknown) => {
    if (!foundStore) await findStore();
    throw error;
  });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await idempotentWrite.begin({ sha256 });
  const objectStore = foundStore ?? (await findStore());
  checkModule(bytes);
  const key = objectKey(sha256);
  await throwUnavailable(log, async () => {
    if (await objectStore.head(key)) return;
    await objectStore.put(key, bytes, { contentType: 'text/javascript', sizeBytes: bytes.length });
  });
  return idempotentWrite.commit(async ({ trx }: Write) => {
    if ((await lockVersion(trx, versionId))?.state !== 'draft') throw errors.not_draft();
    const module = { module_sha256: sha256, size_bytes: bytes.length };
    const island = await updateModule(trx, versionId, name, module);
    if (!island) throw errors.island_not_found();
    await updateVersionTime(trx, versionId);
    await markDraftChanged(trx, versionId);
    return answer(island);
  });
}

/** Returns the store for a module of that media type. Throws `image_storage_unavailable`, `invalid_body`. */
function requireModuleStore({ config: { objectStore } }: Context, contentType: string): ObjectStore {
  if (!objectStore) throw errors.image_storage_unavailable();
  if (!/^text\/javascript\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType)) {
    const message = 'Send the module as Content-Type: text/javascript.';
    throw errors.invalid_body({ details: [{ pointer: '', message }] });
  }
  return objectStore;
}

const readModule = (body: Readable): Promise<Buffer> =>
  readBody(body, maxModuleBytes, {
    tooLarge: errors.island_module_too_large,
    broken: (message) => errors.invalid_body({ details: [{ pointer: '', message }] }),
  });

/** Throws `island_module_not_text`. */
function checkModule(bytes: Buffer): void {
  if (bytes.length === 0) throw errors.island_module_not_text({ message: 'The module is empty.' });
  if (!isUtf8(bytes)) throw errors.island_module_not_text({ message: 'The module is not UTF-8 text.' });
}

/** Returns the island that a request names. Throws `island_name_required`, `island_not_found`. */
async function requireIsland(db: Context['db'], versionId: string, name: string): Promise<IslandRow> {
  if (!name) throw errors.island_name_required();
  const island = await findIsland(db, versionId, name);
  if (!island) throw errors.island_not_found();
  return island;
}

/**
 * Opens a module for the public, if a version with it was ever approved. Nothing else may run on live pages, and stores
 * with a withdrawn version keep running it. Throws `not_found` (`decisions.md 14.4`).
 */
export async function openApprovedModule(context: Context, sha256: string): Promise<StoredObject> {
  if (!(await isModuleApproved(context.db, sha256))) throw errors.not_found();
  return openModule(context, sha256);
}

/**
 * Opens a module for pages of a development store: one of a version, in any state, that its developers have installed
 * there, or for some minutes the one that it replaced. Throws `not_found` (`decisions.md 14.4`).
 */
export async function openDevelopmentModule(
  context: Context,
  storeId: string,
  sha256: string,
): Promise<StoredObject> {
  if (!(await isInDevelopment(context.db, storeId, sha256))) throw errors.not_found();
  return openModule(context, sha256);
}

/**
 * Opens the module of a version's island, in any state, for developers and reviewers. Throws `island_name_required`,
 * `island_not_found`, and `not_found` when none was uploaded (`decisions.md 14.4`).
 */
export async function openIslandModule(
  context: Context,
  versionId: string,
  name: string,
): Promise<StoredObject> {
  const { module_sha256 } = await requireIsland(context.db, versionId, name);
  if (!module_sha256) throw errors.not_found();
  return openModule(context, module_sha256);
}

async function openModule({ config, log }: Context, sha256: string): Promise<StoredObject> {
  const { objectStore } = config;
  if (!objectStore) throw errors.not_found();
  const object = await throwUnavailable(log, () => objectStore.get(objectKey(sha256)));
  if (!object) throw errors.not_found();
  return object;
}
