import { createClient, events, uploadMedia, webhooks } from '@waybill/sdk';
import { eventually, startReceiver } from '@waybill/testing';
import { newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { noisyPng } from '../../testing/uploads.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const scopes = ['products', 'webhooks', 'media'].flatMap((domain) => [`${domain}.read`, `${domain}.write`]);

describe.each(topologies)('$name', ({ share }) => {
  let system: SharedSystem;
  beforeAll(async () => {
    system = await share();
  });

  async function newClient() {
    const owner = await newPerson(system.baseUrl);
    const storeId = await newStore(owner);
    const { secret } = await newKey(owner, storeId, scopes);
    const { baseUrl } = system;
    return {
      storeId,
      key: createClient({ baseUrl, credential: secret }),
      owner: createClient({ baseUrl, credential: owner.accessToken }),
    };
  }

  test('a follower of events gets earlier and new ones, through either API', async () => {
    const { key, owner, storeId } = await newClient();
    const make = async (name: string) => (await key.post('/api/v1/products', { body: { name } })).product.id;
    const first = await make('First tea');
    const stop = AbortSignal.timeout(20_000);
    const seen: unknown[] = [];
    let second = '';
    for await (const { data, id } of events.follow(key, { types: ['product.created'], signal: stop })) {
      seen.push((data.product as { id: string }).id);
      if (seen.length === 1) {
        second = await make('Second tea');
        for await (const next of events.follow(owner, { storeId, after: id, signal: stop })) {
          expect(next.data).toMatchObject({ product: { id: second } });
          break;
        }
      } else break;
    }
    expect(seen).toEqual([first, second]);
  });

  test('a call that Waybill makes is verified, while its secret is rotated with either one', async () => {
    const { key } = await newClient();
    const receiver = await startReceiver();
    try {
      const body = { url: receiver.url, events: ['product.created' as const] };
      const { webhook, secret } = await key.post('/api/v1/webhooks', { body });
      const path = { params: { path: { id: webhook.id } } };
      const next = await key.post('/api/v1/webhooks/{id}/rotate-secret', { ...path, body: {} });
      await key.post('/api/v1/products', { body: { name: 'Signed tea' } });
      const call = await eventually(() => receiver.calls[0]);
      for (const held of [secret, next.secret]) {
        const event = await webhooks.verify(call.body, call.headers, held);
        expect(event).toMatchObject({ type: 'product.created', data: { product: { name: 'Signed tea' } } });
      }
      await expect(webhooks.verify(call.body, call.headers, webhooks.newSecret())).rejects.toMatchObject({
        code: 'webhook_signature_invalid',
      });
    } finally {
      await receiver.close();
    }
  });

  test('a file is uploaded with its progress', async () => {
    const { key } = await newClient();
    const shares: number[] = [];
    const file = new File([new Uint8Array(noisyPng(400, 400))], 'noise.png', { type: 'image/png' });
    const media = await uploadMedia(key, file, { onProgress: (share) => shares.push(share) });
    expect(media).toMatchObject({ name: 'noise.png', sizeBytes: file.size });
    expect(shares.at(-1)).toBe(1);
  });
});
