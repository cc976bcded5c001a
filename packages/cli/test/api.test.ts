import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, startFakeApi } from './commands.ts';

test('a path is of the store, also if its name begins as those that are taken as they are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-cli-'));
  const api = await startFakeApi(() => [200, {}]);
  const env = { WAYBILL_URL: api.url, WAYBILL_API_KEY: 'wbk_a' };
  const calls: [method: string, path: string, requested: string][] = [
    ['get', '/products', 'GET /api/v1/products'],
    ['get', '/api-keys', 'GET /api/v1/api-keys'],
    ['get', 'api-keys?limit=2', 'GET /api/v1/api-keys'],
    ['post', '/api-keys', 'POST /api/v1/api-keys'],
    ['delete', '/api-keys/key_1', 'DELETE /api/v1/api-keys/key_1'],
    ['get', '/storefront-events', 'GET /api/v1/storefront-events'],
    ['get', '/openapi.json.gz', 'GET /api/v1/openapi.json.gz'],
    ['get', '/api/me', 'GET /api/me'],
    ['get', 'api/me', 'GET /api/me'],
    ['get', '/api?x=1', 'GET /api'],
    ['get', '/openapi.json', 'GET /openapi.json'],
    ['get', '/.well-known/oauth-authorization-server', 'GET /.well-known/oauth-authorization-server'],
  ];
  try {
    for (const [method, path, requested] of calls) {
      await runCommand(['api', method, path], { folder, env });
      expect([method, path, api.seen.at(-1)?.target]).toEqual([method, path, requested]);
    }
  } finally {
    api.close();
    await rm(folder, { recursive: true });
  }
});
