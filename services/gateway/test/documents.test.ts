import { createLog, type Peers, type ServiceContext } from '@waybill/kernel';
import type { Config } from '../src/config.ts';
import { handlers } from '../src/documents/handlers.ts';

/** The gateway's own routes in front of a single service, whose calls are counted. */
function gatewayBefore(answer: () => Promise<unknown>) {
  const requests: string[] = [];
  const peers = {
    has: (service: string) => service === 'catalog',
    async call(_service: string, _method: string, path: string) {
      requests.push(path);
      return answer();
    },
  } as unknown as Peers;
  const context = { config: {}, peers, log: createLog('silent') } as ServiceContext<Config>;
  const { openapi, health } = handlers(context) as unknown as {
    openapi(request: object): Promise<{ body: string }>;
    health(): Promise<{ status: string }>;
  };
  return { openapi, health, requests };
}

const hundred = <Result>(work: () => Promise<Result>) =>
  Promise.all(Array.from({ length: 100 }, () => work()));

describe('unlimited public requests cost the services little', () => {
  test('a hundred simultaneous requests for the API document cause one look-up', async () => {
    const { openapi, requests } = gatewayBefore(async () => ({ paths: { '/notes': {} }, schemas: {} }));
    const documents = await hundred(() => openapi({ headers: { host: 'api.example:8080' } }));
    expect(new Set(documents.map(({ body }) => body)).size).toBe(1);
    const document = JSON.parse(documents[0]!.body);
    expect(document.paths).toHaveProperty('/notes');
    expect(document.servers).toEqual([{ url: 'http://api.example:8080' }]);
    expect(requests).toEqual(['/internal/openapi/catalog']);
  });

  test('a hundred simultaneous requests for the health cause two checks, and all get the state', async () => {
    const { health, requests } = gatewayBefore(async () => ({ ready: true }));
    expect(new Set((await hundred(health)).map(({ status }) => status))).toEqual(new Set(['ok']));
    expect(requests).toEqual(Array(2).fill('/internal/ready/catalog'));
  });

  test('health is answered immediately while services are slow, never better than a second ago', async () => {
    let answer: () => Promise<unknown> = async () => ({ ready: true });
    const { health } = gatewayBefore(() => answer());
    expect(await health()).toEqual({ status: 'ok' });
    const slow = Promise.withResolvers<unknown>();
    answer = () => slow.promise;
    expect(await health()).toEqual({ status: 'ok' });
    slow.resolve(null);
    await slow.promise;
    await new Promise(setImmediate);
    await expect(health()).rejects.toMatchObject({ code: 'resource_unavailable' });
  });
});
