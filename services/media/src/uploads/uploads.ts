import { rm } from 'node:fs/promises';
import { hasVisibleCharacter, nameMaxLength, newId, trimName } from '@waybill/contracts';
import { FairSemaphore, type RouteRequest } from '@waybill/kernel';
import { type ObjectStore, throwUnavailable } from '@waybill/object-store';
import type { Asset } from '../assets/queries.ts';
import { errors } from '../errors.ts';
import { findFolder } from '../folders/queries.ts';
import type { Context } from '../state.ts';
import { originalKey } from '../store.ts';
import type { ExaminedFile } from './examine.ts';
import { toAssetName } from './names.ts';
import { renewReservation } from './queries.ts';
import { claimReservation, releaseReservation, reserveQuota } from './quota.ts';
import { receiveUpload, type Upload } from './receive.ts';

/** Limits of one process. Each upload takes at most 25 MiB on disk and a few chunks in memory. */
const limits = { concurrency: 200, maxWaiting: 0, maxPerKey: 100 };
/** Interval of renewals; a reservation lives for a minute. */
const renewalMs = 15_000;

/** A request for an upload, and how it is answered. */
interface UploadRequest<Reply>
  extends Pick<RouteRequest, 'storeId' | 'stream' | 'headers' | 'idempotentWrite'> {
  answer: (asset: Asset) => Reply;
}

/**
 * Creates the upload function. A form becomes a file of this process, is identified, gets its share of the quota, goes
 * to the object store, and becomes an asset. A failure on the way leaves nothing; the remains of a killed process are
 * swept.
 */
export function createUploads(context: Context) {
  const { config, db, transaction, log, state } = context;
  const uploads = new FairSemaphore(limits);

  async function storeUpload<Reply>(
    objects: ObjectStore,
    { storeId, idempotentWrite, answer }: UploadRequest<Reply>,
    upload: Upload,
    { identity, sha256, sizeBytes }: ExaminedFile,
  ): Promise<Reply> {
    const { path } = upload;
    const { contentType, ...facts } = identity;
    const folderId = upload.folderId || null;
    if (folderId !== null && !(await findFolder(db, storeId, folderId)))
      throw errors.not_found({ message: 'This media folder does not exist.' });
    const reservation = { id: newId('mediaAsset'), sha256, sizeBytes };
    await reserveQuota(transaction, storeId, reservation, config.quotaBytes);
    const renewal = setInterval(() => {
      renewReservation(db, storeId, reservation.id).catch(() => {});
    }, renewalMs);
    try {
      const key = originalKey(storeId, sha256);
      const isStored = (await objects.head(key))?.sizeBytes === sizeBytes;
      if (!isStored) await objects.putFile(key, path, { contentType, sizeBytes });
      const asset = {
        ...facts,
        content_type: contentType,
        name: resolveName(upload, reservation.id),
        folder_id: folderId,
      };
      return await idempotentWrite.commit(async ({ trx }) =>
        answer(await claimReservation(trx, storeId, reservation, asset)),
      );
    } catch (error) {
      // If this fails too, the reservation expires and is swept.
      await releaseReservation(context, storeId, reservation).catch((err: unknown) =>
        log.warn({ err, storeId }, 'a reservation is left to be swept'),
      );
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /**
   * Turns a form into an asset.
   * @throws invalid_body, missing_file, empty_file, unsupported_type, not_found (the folder), request_timeout,
   * file_too_large, quota_exceeded, resource_unavailable
   */
  return <Reply>(objects: ObjectStore, request: UploadRequest<Reply>): Promise<Reply> =>
    uploads.run(request.storeId, () =>
      throwUnavailable(log, async () => {
        const upload = await receiveUpload(request.stream, request.headers, config.uploadFolder);
        try {
          checkName(upload.name);
          const { path, sizeBytes, sha256, fileName, name, folderId } = upload;
          // Idempotency compares the sent bytes; the stored ones may be fewer.
          await request.idempotentWrite.begin({ sha256, fileName, name, folderId });
          const examineRequest = { path, sizeBytes, sha256, keepsMetadata: config.keepsMetadata };
          const examined = await state.examiner.examine(request.storeId, examineRequest);
          return await storeUpload(objects, request, upload, examined);
        } finally {
          await rm(upload.path, { force: true });
        }
      }),
    );
}

function checkName(name: string | undefined): void {
  if (name === undefined) return;
  const length = [...trimName(name)].length;
  if (hasVisibleCharacter(name) && length <= nameMaxLength) return;
  const message = `must have 1 to ${nameMaxLength} characters, at least one of them visible`;
  throw errors.invalid_body({ details: [{ pointer: '/name', message }] });
}

const resolveName = ({ name, fileName }: Upload, id: string): string =>
  name === undefined ? toAssetName(fileName, id) : trimName(name);
