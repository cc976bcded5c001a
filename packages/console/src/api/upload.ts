import { isWaybillError, type Model, WaybillError } from '@waybill/sdk';
import { session } from './session.ts';

interface Progress {
  onProgress?(share: number): void;
  signal?: AbortSignal;
}

interface UploadOptions extends Progress {
  folderId?: string | null;
  /** Idempotency key, the same for each try of one upload. An upload whose answer was lost is not stored twice. */
  key?: string;
}

/**
 * Uploads a file to the store's media and reports the progress from 0 to 1, which `fetch` cannot do. If the server
 * rejects the token, it is renewed and the file sent again. Throws a `WaybillError`.
 */
export async function uploadFile(
  storeId: string,
  file: File,
  { folderId, key = crypto.randomUUID(), ...progress }: UploadOptions = {},
): Promise<Model<'Media'>> {
  const body = new FormData();
  // Fields precede the file, because the server needs them when the file arrives.
  if (folderId) body.append('folderId', folderId);
  body.append('file', file, file.name);
  const path = `/api/stores/${storeId}/media`;
  const token = await session.token();
  try {
    return await send(path, token, key, body, progress);
  } catch (error) {
    if (!isWaybillError(error) || error.status !== 401) throw error;
    session.distrust(token);
    const fresh = await session.token();
    if (!fresh) throw error;
    return send(path, fresh, key, body, progress);
  }
}

function send(
  path: string,
  token: string | null,
  idempotencyKey: string,
  body: FormData,
  { onProgress, signal }: Progress,
): Promise<Model<'Media'>> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.responseType = 'json';
    if (token) request.setRequestHeader('authorization', `Bearer ${token}`);
    request.setRequestHeader('idempotency-key', idempotencyKey);
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
    const stopped = () => reject(new WaybillError('aborted', 'Stopped.'));
    request.onabort = stopped;
    // The upload may have been cancelled while the token was being fetched.
    if (signal?.aborted) return stopped();
    signal?.addEventListener('abort', () => request.abort());
    request.send(body);
  });
}
