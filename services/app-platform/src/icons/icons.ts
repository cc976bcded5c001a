import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ApiError } from '@waybill/contracts';
import { type IdempotentWrite, readBody } from '@waybill/kernel';
import { type StoredObject, throwUnavailable } from '@waybill/object-store';
import { type AppRow, lockApp, updateApp } from '../apps/queries.ts';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { identifyIcon } from './image.ts';
import { deleteIcons, findIconId, insertIcon, listUnusedIcons, releaseIcon } from './queries.ts';
import { iconLimits } from './routes.ts';

/** Name of the task that deletes the bytes of icons that no app uses. */
export const iconSweepTask = 'sweep-app-icons';
const sweepBatch = 100;

const objectKey = (id: string) => `app-icons/${id}`;

/**
 * Sets the icon of an app from `body`, replacing the previous one. Throws `unsupported_type`, `file_too_large`,
 * `invalid_body`, `image_storage_unavailable`, `resource_unavailable` (`decisions.md 14.2`).
 */
export async function putIcon<Reply>(
  context: Context,
  appId: string,
  { body, idempotentWrite }: { body: Readable; idempotentWrite: IdempotentWrite },
  answer: (row: AppRow) => Reply,
): Promise<Reply> {
  const { config, db, log, wakeTask } = context;
  const { objectStore } = config;
  if (!objectStore) throw errors.image_storage_unavailable();
  const bytes = await readBody(body, iconLimits.bytes, {
    tooLarge: errors.file_too_large,
    broken: (message) => errors.invalid_body({ details: [{ pointer: '', message }] }),
  });
  const type = await identifyIcon(bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await idempotentWrite.begin({ sha256 });
  const icon = { icon_id: randomBytes(16).toString('hex'), icon_file: `${sha256}.${type}` };
  // Record the icon before its bytes are stored, so that they are found wherever the upload ends.
  await insertIcon(db, icon.icon_id);
  await throwUnavailable(log, () =>
    objectStore.put(objectKey(icon.icon_id), bytes, {
      contentType: `image/${type}`,
      sizeBytes: bytes.length,
    }),
  );
  try {
    return await idempotentWrite.commit(async (write) => answer(await replaceIcon(write, appId, icon)));
  } catch (error) {
    // A refusal means that no app has the icon. After any other failure the result is unknown.
    if (error instanceof ApiError) await releaseIcon(db, icon.icon_id);
    throw error;
  } finally {
    wakeTask(iconSweepTask);
  }
}

/** Removes an app's icon, if it has one. */
export async function deleteIcon(write: Write, { wakeTask }: Context, appId: string): Promise<void> {
  await replaceIcon(write, appId, { icon_id: null, icon_file: null });
  write.afterCommit(() => wakeTask(iconSweepTask));
}

/** Replaces the icon of an app; the next sweep deletes the bytes of the other one. Throws `not_found`. */
async function replaceIcon(
  { trx, audit }: Write,
  appId: string,
  icon: Pick<AppRow, 'icon_id' | 'icon_file'>,
): Promise<AppRow> {
  const app = await lockApp(trx, appId);
  if (!app) throw errors.not_found();
  const isSame = app.icon_file === icon.icon_file;
  const unused = isSame ? icon.icon_id : app.icon_id;
  if (unused) await releaseIcon(trx, unused);
  if (isSame) return app;
  await audit(app.org_id, 'app.updated', app, { changed: ['iconUrl'] });
  return updateApp(trx, appId, icon);
}

/** Opens the icon of a public name while an app uses it. Throws `not_found`, `resource_unavailable`. */
export async function openIcon({ config, db, log }: Context, file: string): Promise<StoredObject> {
  const { objectStore } = config;
  const id = objectStore && (await findIconId(db, file));
  const object = id && (await throwUnavailable(log, () => objectStore.get(objectKey(id))));
  if (!object) throw errors.not_found();
  return object;
}

/**
 * Deletes the bytes of icons that were replaced, or never used. Returns whether there may be more. An interruption
 * leaves them to the next turn.
 */
export async function sweepIcons({ config, db }: Context): Promise<boolean> {
  const { objectStore } = config;
  if (!objectStore) return false;
  const ids = await listUnusedIcons(db, sweepBatch);
  if (ids.length === 0) return false;
  for (const id of ids) await objectStore.delete(objectKey(id));
  await deleteIcons(db, ids);
  return ids.length === sweepBatch;
}
