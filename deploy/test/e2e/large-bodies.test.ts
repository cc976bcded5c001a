import { newPerson, newStore } from '../../testing/accounts.ts';
import { send } from '../../testing/client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const formEncoded = 'application/x-www-form-urlencoded';
/** Larger than every limit except that of files. */
const body = Buffer.alloc(5 * 1024 * 1024, 'a=b&');

describe.each(topologies)('$name', ({ share }) => {
  let system: SharedSystem;
  let storeId: string;
  let slug: string;
  let token: string;
  beforeAll(async () => {
    system = await share();
    const owner = await newPerson(system.baseUrl);
    storeId = await newStore(owner, 'Large bodies');
    slug = (await owner.call('GET', `/api/stores/${storeId}`)).body.store.slug;
    token = owner.accessToken;
  });

  test.each([
    ['a form', () => `/storefront/${storeId}/forms/f_unknown`, formEncoded],
    ['a cart', () => `/s/${slug}/cart`, formEncoded],
    ['a checkout', () => `/s/${slug}/checkout`, formEncoded],
    ['the token endpoint', () => '/oauth/token', formEncoded],
    ['an order', () => `/storefront/${storeId}/orders`, 'application/json'],
    ['a product', () => `/api/stores/${storeId}/products`, 'application/json'],
    ['a sign-in', () => '/api/auth/login', 'application/json'],
  ])('413 each time %s is sent 5 MiB', async (_name, path, type) => {
    const headers = { 'content-type': type, authorization: `Bearer ${token}`, 'idempotency-key': 'large' };
    const statuses: (number | string)[] = [];
    for (let round = 0; round < 20; round++)
      statuses.push(
        await send(system.baseUrl, 'POST', path(), { body, headers }).then(
          (reply) => reply.status,
          (error) => error.code,
        ),
      );
    expect(statuses).toEqual(statuses.map(() => 413));
  });
});
