import { newId, type Permission, type Principal } from '@waybill/contracts';
import { startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { media } from '../src/index.ts';

/** Client of a store's media library, over the service's own address. */
export interface Library {
  storeId: string;
  headers: Record<string, string>;
  get(path: string): request.Test;
  post(path: string, body?: object): request.Test;
  patch(path: string, body: object): request.Test;
  remove(path: string): request.Test;
  /** Uploads a form; null as `file` leaves the file out. */
  upload(
    file: Buffer | null,
    parts?: { fileName?: string; type?: string; name?: string; folderId?: string },
  ): request.Test;
}

export const startMedia = (env: Record<string, string> = {}): Promise<TestSystem> =>
  startSystem([media], env);

export async function newLibrary(
  system: TestSystem,
  scopes: Permission[] = ['media.read', 'media.write'],
): Promise<Library> {
  const storeId = newId('store');
  const headers = await system.as(createKey(storeId, scopes));
  const ask = () => request(system.internalUrl);
  return {
    storeId,
    headers,
    get: (path) => ask().get(path).set(headers),
    post: (path, body) => ask().post(path).set(headers).send(body),
    patch: (path, body) => ask().patch(path).set(headers).send(body),
    remove: (path) => ask().delete(path).set(headers),
    upload(file, { fileName = 'photo.png', type = 'application/octet-stream', name, folderId } = {}) {
      let test = ask().post('/api/v1/media').set(headers);
      if (name !== undefined) test = test.field('name', name);
      if (file) test = test.attach('file', file, { filename: fileName, contentType: type });
      if (folderId !== undefined) test = test.field('folderId', folderId);
      return test;
    },
  };
}

const createKey = (storeId: string, scopes: Permission[]): Principal => ({
  kind: 'apiKey',
  storeId,
  keyId: 'key_1',
  scopes,
  creatorPermissions: scopes,
});
