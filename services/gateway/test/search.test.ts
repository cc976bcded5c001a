import { createLog, type Peers } from '@waybill/kernel';
import { searchEverything } from '../src/search/search.ts';

const storeId = 'str_1';

/**
 * Creates a search over services that find one item each. Services in `away` fail, and those in `silent` never answer.
 */
function searchBefore({ away = [] as string[], silent = [] as string[], missing = [] as string[] }) {
  const peers = {
    has: (service: string) => !missing.includes(service),
    async call(service: string, _method: string, path: string, body: { storeId: string; q: string }) {
      if (away.includes(service)) throw new Error(`${service} is away`);
      if (silent.includes(service)) return new Promise(() => {});
      return { hits: [{ id: path, title: body.q, subtitle: body.storeId }] };
    },
  } as unknown as Peers;
  return searchEverything(peers, createLog('silent'), storeId, 'viewer', 'tea');
}

const listTypes = ({ hits }: { hits: { type: string }[] }) => hits.map(({ type }) => type);

test('every service searches the store, and its hits are merged', async () => {
  const found = await searchBefore({});
  expect(listTypes(found)).toEqual(['product', 'order', 'customer', 'page', 'article', 'media']);
  expect(found.hits[0]).toMatchObject({ title: 'tea', subtitle: storeId });
  expect(found).not.toHaveProperty('unavailable');
});

test.each([
  ['fails', { away: ['orders'] }, ['order', 'customer']],
  ['gives no answer in time', { silent: ['content'] }, ['page', 'article']],
  ['is not there at all', { missing: ['media'] }, ['media']],
])('a part that %s is left out and named, and the others are there', async (_, state, unavailable) => {
  const found = await searchBefore(state);
  expect(found.unavailable).toEqual(unavailable);
  expect(listTypes(found)).toEqual(
    ['product', 'order', 'customer', 'page', 'article', 'media'].filter(
      (type) => !unavailable.includes(type),
    ),
  );
});
