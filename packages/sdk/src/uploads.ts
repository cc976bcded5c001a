import type { Attempts } from './attempts.ts';
import type { Model } from './models.ts';

export interface UploadOptions {
  method?: 'POST' | 'PUT';
  /** Called with the share of the body that has been sent, 0 to 1; starts over with each retry. */
  onProgress?(share: number): void;
  signal?: AbortSignal;
  headers?: Readonly<Record<string, string>>;
}

/** An object that sends uploads, such as a client. */
export interface Uploader {
  upload(path: string, body: FormData | Blob, options?: UploadOptions): Promise<Response>;
}

export interface MediaOptions extends Pick<UploadOptions, 'onProgress' | 'signal'> {
  /** The store, if the credential is a user's token. Keys and app tokens belong to one store. */
  storeId?: string;
  folderId?: string | null;
  /** Default: the file's own name. */
  name?: string;
}

/**
 * Uploads a file to a store's media; at most 25 MiB (`store-api.md 8`). Throws a `WaybillError`, such as
 * `quota_exceeded`.
 */
export async function uploadMedia(
  client: Uploader,
  file: Blob & { name?: string },
  { storeId, folderId, name, ...options }: MediaOptions = {},
): Promise<Model<'Media'>> {
  const form = new FormData();
  // Fields precede the file, so that the server knows them when the file arrives.
  if (folderId) form.append('folderId', folderId);
  if (name) form.append('name', name);
  form.append('file', file, file.name ?? name ?? 'file');
  const path = storeId ? `/api/stores/${encodeURIComponent(storeId)}/media` : '/api/v1/media';
  const answer = await client.upload(path, form, options);
  return ((await answer.json()) as { media: Model<'Media'> }).media;
}

/**
 * The part of XMLHttpRequest used here. It exists only in browsers, and is their only way to report upload progress.
 */
interface Xhr {
  upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  responseType: string;
  readonly status: number;
  readonly response: ArrayBuffer;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Blob): void;
  abort(): void;
}

/** Sends a request like `fetch` and reports how much of its body has been sent. */
export function withProgress(
  fetch: Attempts['fetch'],
  onProgress: (share: number) => void,
): Attempts['fetch'] {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Xhr };
  return async (request) => {
    const body = await request.blob();
    return XMLHttpRequest
      ? sendByXhr(new XMLHttpRequest(), request, body, onProgress)
      : fetch(countUploaded(request, body, onProgress));
  };
}

function countUploaded(request: Request, body: Blob, onProgress: (share: number) => void): Request {
  let sent = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      sent += chunk.length;
      onProgress(sent / body.size);
      controller.enqueue(chunk);
    },
  });
  const { url, method, headers, signal } = request;
  return new Request(url, {
    method,
    headers,
    signal,
    body: body.stream().pipeThrough(counter),
    // A stream requires this option, but the types lack it.
    ...({ duplex: 'half' } as object),
  });
}

function sendByXhr(
  xhr: Xhr,
  request: Request,
  body: Blob,
  onProgress: (share: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = () => xhr.abort();
    const end = () => request.signal.removeEventListener('abort', abort);
    xhr.open(request.method, request.url);
    xhr.responseType = 'arraybuffer';
    request.headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    xhr.onload = () => {
      end();
      const headers = xhr
        .getAllResponseHeaders()
        .trim()
        .split(/\r?\n/)
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const)
        .filter(([name]) => name !== '');
      const isEmpty = [204, 205, 304].includes(xhr.status);
      resolve(
        new Response(isEmpty ? null : xhr.response, {
          status: xhr.status,
          headers: headers as [string, string][],
        }),
      );
    };
    xhr.onerror = () => {
      end();
      reject(new TypeError('The connection failed.'));
    };
    xhr.onabort = () => {
      end();
      reject(request.signal.reason);
    };
    if (request.signal.aborted) return reject(request.signal.reason);
    request.signal.addEventListener('abort', abort);
    xhr.send(body);
  });
}
