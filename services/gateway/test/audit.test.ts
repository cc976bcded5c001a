import { type AuditEntry, type AuditQuery, newId } from '@waybill/contracts';
import type { Peers } from '@waybill/kernel';
import { readAudit } from '../src/audit/audit.ts';

const storeId = newId('store');
const userId = newId('user');
const services = ['identity', 'orders', 'content'];

const entryAt = (at: number): AuditEntry => ({
  id: newId('auditEntry', at),
  at: new Date(at).toISOString(),
  actor: { type: 'user', id: userId, name: null },
  action: 'member.added',
  target: { type: 'member', id: userId, name: null },
  changed: [],
  ip: null,
  requestId: null,
});

/**
 * Returns stand-ins for services with these parts of an audit. Calls of paths in `away` fail, and services without a
 * part return null.
 */
function createPeers(parts: Readonly<Record<string, AuditEntry[]>>, { away = [] as string[] } = {}): Peers {
  const answer = (service: string, path: string, query: AuditQuery) => {
    if (away.includes(path)) throw new Error('away');
    if (path === '/internal/users/names') return { users: [{ id: userId, name: 'Ann' }] };
    const part = parts[service];
    if (!part || path !== `/internal/audit/${service}`) return null;
    const rest = part.filter(({ id }) => !query.before || id < query.before);
    return { entries: rest.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, query.limit) };
  };
  return {
    call: async (service: string, _method: string, path: string, body: AuditQuery) =>
      answer(service, path, body),
  } as unknown as Peers;
}

test.each([1, 2, 3, 7])(
  'its parts are one list, in pages of %i as well: each entry once and the newest first',
  async (limit) => {
    // Several entries share a millisecond, within one part and across parts.
    const createPart = (...after: number[]) => after.map((ms) => entryAt(1_800_000_000_000 + ms));
    const parts = { identity: createPart(4, 1, 1, 0), orders: [], content: createPart(5, 4, 4, 4, 3, 1, 0) };
    const peers = createPeers(parts);
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await readAudit(peers, services, storeId, { limit, ...(after && { after }) });
      expect(page.entries.length).toBeLessThanOrEqual(limit);
      ids.push(...page.entries.map(({ id }) => id));
      after = page.nextCursor ?? undefined;
    } while (after);
    const all = [...parts.identity, ...parts.content].map(({ id }) => id);
    expect(ids).toEqual(all.sort().reverse());
  },
);

test('the whole audit is refused while a service is unreachable or does not know it', async () => {
  const parts = { identity: [], orders: [entryAt(1_800_000_000_000)], content: [] };
  const away = createPeers(parts, { away: ['/internal/audit/content'] });
  await expect(readAudit(away, services, storeId, { limit: 10 })).rejects.toThrow('away');
  const older = createPeers({ identity: [], orders: parts.orders });
  await expect(readAudit(older, services, storeId, { limit: 10 })).rejects.toMatchObject({ status: 503 });
});

test('names are current, and null if they are unknown', async () => {
  const parts = { identity: [entryAt(1_800_000_000_000)], orders: [], content: [] };
  for (const [away, name] of [
    [[], 'Ann'],
    [['/internal/users/names'], null],
  ] as const) {
    const { entries } = await readAudit(createPeers(parts, { away: [...away] }), services, storeId, {
      limit: 10,
    });
    expect(entries).toMatchObject([{ actor: { id: userId, name }, target: { id: userId, name } }]);
  }
});

test('an empty filter is ignored', async () => {
  const queries: AuditQuery[] = [];
  const peers = {
    call: async (_service: string, _method: string, _path: string, body: AuditQuery) => {
      queries.push(body);
      return { entries: [] };
    },
  } as unknown as Peers;
  await readAudit(peers, ['identity'], storeId, { limit: 10, actor: '' });
  expect(queries).toEqual([{ ownerId: storeId, limit: 11 }]);
});
