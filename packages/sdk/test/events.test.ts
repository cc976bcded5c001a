import { createClient, events, isWaybillError } from '../src/index.ts';
import { dropped, json, startServer } from './server.ts';

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const client = () =>
  createClient({ baseUrl: server.baseUrl, credential: 'wbk_x', retries: 0, sleep: async () => {} });
const page = (...ids: string[]) =>
  json(200, { events: ids.map((id) => ({ id })), nextCursor: ids.at(-1) ?? 'evt_0' });
const refusal = (status: number, code: string) => json(status, { error: '', code });

async function take(count: number, options: events.FollowOptions = {}): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of events.follow(client(), options)) {
    ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
}

test('a server that drops, sheds and is away is asked again from where it broke off, and no event is missed', async () => {
  const interrupted: unknown[] = [];
  server.answer(
    page('evt_1', 'evt_2'),
    dropped,
    refusal(503, 'resource_unavailable'),
    (_, res) =>
      void res.writeHead(200, { 'content-length': '100' }).write('{"events":[', () => res.destroy()),
    refusal(429, 'rate_limited'),
    page('evt_3'),
  );
  const ids = await take(3, { after: 'evt_0', onInterrupted: (error) => interrupted.push(error) });
  expect(ids).toEqual(['evt_1', 'evt_2', 'evt_3']);
  expect(interrupted).toHaveLength(4);
  const cursors = server.seen.map(({ url }) => new URL(url, server.baseUrl).searchParams.get('after'));
  expect(cursors).toEqual(['evt_0', ...Array(5).fill('evt_2')]);
});

test('a server that asks for a longer pause is left alone for that long', async () => {
  let refusedAt = 0;
  let askedAgainAt = 0;
  server.answer(
    (req, res) => {
      refusedAt = Date.now();
      json(429, { error: '', code: 'rate_limited' }, { 'retry-after': '1' })(req, res);
    },
    (req, res) => {
      askedAgainAt = Date.now();
      page('evt_1')(req, res);
    },
  );
  expect(await take(1)).toEqual(['evt_1']);
  // Timers of Node.js may fire a millisecond early.
  expect(askedAgainAt - refusedAt).toBeGreaterThan(990);
});

test('a pause that is longer than any timer is not cut to nothing', async () => {
  const stop = new AbortController();
  server.answer(json(429, { error: '', code: 'rate_limited' }, { 'retry-after': '3000000' }), page('evt_1'));
  const onInterrupted = () => void setTimeout(() => stop.abort(), 100);
  expect(await take(1, { signal: stop.signal, onInterrupted })).toEqual([]);
  expect(server.seen).toHaveLength(1);
});

test('a refusal that lasts is thrown', async () => {
  server.answer(refusal(410, 'cursor_expired'));
  const error = await take(1, { after: 'evt_old' }).catch((thrown) => thrown);
  expect(isWaybillError(error, 'cursor_expired')).toBe(true);
  expect(server.seen).toHaveLength(1);
});

test('a signal ends what waits for the next event', async () => {
  const stop = new AbortController();
  server.answer(page('evt_1'), () => stop.abort());
  const ids: string[] = [];
  for await (const { id } of events.follow(client(), { signal: stop.signal })) ids.push(id);
  expect(ids).toEqual(['evt_1']);
  expect(server.seen).toHaveLength(2);
});

test('the store of a user’s token, the types and the time to begin at are asked for', async () => {
  server.answer(page('evt_1'));
  await take(1, { storeId: 'sto_1', types: ['a', 'b'], since: '2026-11-20T10:00:00Z', wait: 5 });
  expect(server.seen[0]!.url).toBe(
    '/api/stores/sto_1/events?wait=5&limit=200&since=2026-11-20T10%3A00%3A00Z&type=a%2Cb',
  );
});
