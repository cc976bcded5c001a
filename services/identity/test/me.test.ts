import { errors, newId, type OrgsOfUser } from '@waybill/contracts';
import { createStubService, runSql, startSystem, type TestSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';
import { type Client, createClient, type Person } from './people.ts';

/** The answer of the stand-in for the app platform, which may be delayed. */
let answer: (userId: string) => Promise<OrgsOfUser>;
const tea = { id: newId('organisation'), name: 'Tea apps', role: 'owner' } as const;

const appPlatform = createStubService('app-platform', {
  'POST /internal/orgs/of-user': ({ body }: { body: { userId: string } }) => answer(body.userId),
});

let system: TestSystem;
let client: Client;
const boss = 'boss@example.com';
beforeAll(async () => {
  system = await startSystem([identity, appPlatform], { PLATFORM_REVIEWER_EMAILS: boss });
  client = createClient(system);
});
afterAll(() => system.stop());

let person: Person;
beforeEach(async () => {
  person = await client.newPerson();
  answer = async () => ({ orgs: [tea], hasMore: false });
});
const read = async (of = person) => client.as(of).get('/api/me');

describe('GET /api/me', () => {
  test('lists the user’s stores with the roles, and no others', async () => {
    const other = await client.newPerson();
    const own = await client.newStore(person);
    const joined = await client.newStore(other);
    await client.newStore(other);
    await client.addMember(joined, other, person, 'viewer');
    answer = async (userId) => ({ orgs: userId === person.id ? [tea] : [], hasMore: false });
    const { body } = await read();
    expect(body).toEqual({
      user: expect.objectContaining({ id: person.id, email: person.email }),
      stores: [
        { id: own, name: 'Shop', slug: expect.stringMatching(/^shop/), role: 'owner', isDevelopment: false },
        {
          id: joined,
          name: 'Shop',
          slug: expect.stringMatching(/^shop/),
          role: 'viewer',
          isDevelopment: false,
        },
      ],
      hasMoreStores: false,
      orgs: [tea],
      hasMoreOrgs: false,
      isReviewer: false,
    });
    expect((await read(other)).body.orgs).toEqual([]);
  });

  test('lists a hundred of ten thousand stores, and says that there are more', async () => {
    await runSql(
      system,
      'identity',
      `with made as (
         insert into store (id, name, slug, currency)
         select 'str_' || lpad(n::text, 26, '0'), 'Shop ' || n, 'many-' || n, 'EUR' from generate_series(1, 10000) n
         returning id)
       insert into member (store_id, user_id, role) select id, '${person.id}', 'editor' from made`,
    );
    const { body } = await read();
    expect(body.stores).toHaveLength(100);
    expect(body.stores[99]).toEqual({
      id: 'str_00000000000000000000000100',
      name: 'Shop 100',
      slug: 'many-100',
      role: 'editor',
      isDevelopment: false,
    });
    expect(body.hasMoreStores).toBe(true);
  });

  test('shows whether the user reviews apps', async () => {
    const { body } = await client.internal('users', { email: boss, password: 'correct horse', name: 'Boss' });
    const reviewer = { ...person, id: body.user.id, email: boss };
    expect((await read(reviewer)).body.isReviewer).toBe(true);
  });

  test.each([
    ['fails', async () => Promise.reject(errors.resource_unavailable())],
    ['does not know the question', async () => Promise.reject(errors.not_found())],
    ['gives no answer', () => new Promise<never>(() => {})],
  ])('is there without organisations while the app platform %s', async (_, away) => {
    const storeId = await client.newStore(person);
    answer = away;
    const { status, body } = await read();
    expect(status).toBe(200);
    expect(body).toMatchObject({ orgs: [], hasMoreOrgs: false, unavailable: ['orgs'] });
    expect(body.stores).toMatchObject([{ id: storeId }]);
  });

  test('has the ETag of the user only: stores do not change it, and the comparison calls no service', async () => {
    const before = await read();
    await client.newStore(person);
    const after = await read();
    expect(after.headers.etag).toBe(before.headers.etag);
    let requests = 0;
    answer = async () => {
      requests++;
      return { orgs: [], hasMore: false };
    };
    const change = await fetch(`${system.internalUrl}/api/me`, {
      method: 'PATCH',
      headers: {
        ...(await system.as({ kind: 'user', userId: person.id, email: person.email })),
        'content-type': 'application/json',
        'if-match': before.headers.etag!,
      },
      body: JSON.stringify({ name: 'Zoë' }),
    });
    expect([change.status, Object.keys((await change.json()) as object), requests]).toEqual([
      200,
      ['user'],
      0,
    ]);
    expect((await read()).headers.etag).toBe(change.headers.get('etag'));
    expect(change.headers.get('etag')).not.toBe(before.headers.etag);
  });
});
