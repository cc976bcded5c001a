import { type Model, WaybillError } from '@waybill/sdk';
import { session } from './session.ts';

/**
 * Uploads a file to the store's media, and tells how far it has come (0 to 1): `fetch` cannot. Throws a `WaybillError`.
 */
export async function uploadFile(
  storeId: string,
  file: File,
  {
    folderId,
    onProgress,
    signal,
  }: { folderId?: string | null; onProgress?(share: number): void; signal?: AbortSignal } = {},
): Promise<Model<'Media'>> {
  const token = await session.token();
  const body = new FormData();
  // Fields come before the file, so that the server knows them when the file comes.
  if (folderId) body.append('folderId', folderId);
  body.append('file', file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/api/stores/${storeId}/media`);
    request.responseType = 'json';
    if (token) request.setRequestHeader('authorization', `Bearer ${token}`);
    request.setRequestHeader('idempotency-key', crypto.randomUUID());
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const { status, response } = request;
      if (status === 201) return resolve(response.media as Model<'Media'>);
      reject(
        new WaybillError(response?.code ?? 'unexpected_answer', response?.error ?? `${status}`, {
          status,
          body: response ?? {},
        }),
      );
    };
    request.onerror = () => reject(new WaybillError('unreachable', 'The server cannot be reached.'));
    request.onabort = () => reject(new WaybillError('aborted', 'Stopped.'));
    signal?.addEventListener('abort', () => request.abort());
    request.send(body);
  });
}
