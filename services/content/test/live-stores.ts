import { countStatements, eventually, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { getSlug } from './neighbours.ts';
import { newStore } from './store.ts';

/** Creates a store whose live pages can be visited. */
export async function openLive(system: TestSystem) {
  const store = await newStore(system);
  const { storeId, api, edit } = store;
  const slug = getSlug(storeId);
  const visit = (path: string, headers: Record<string, string> = {}) =>
    request(system.internalUrl)
      .get(`/s/${slug}${path}`)
      .redirects(0)
      .set({ 'accept-encoding': 'identity', ...headers });
  return {
    ...store,
    slug,
    visit,
    async live(name: string, document: unknown, input: object = {}) {
      const { id } = (await api('POST', '/api/v1/pages', { name, ...input })).body.page;
      expect((await edit('PUT', `/pages/${id}/draft`, { document })).status).toBe(200);
      const res = await api('POST', `/api/v1/pages/${id}/publish`);
      expect(res.status).toBe(200);
      return res.body.page as { id: string; url: string };
    },
    patch: (id: string, change: object) => api('PATCH', `/api/v1/pages/${id}`, change),
    translate: async (entries: object[]) => {
      const res = await api('PUT', '/api/v1/translations', { entries });
      expect(res.status).toBe(200);
    },
    shows: (path: string, what: string) =>
      eventually(async () => (await visit(path)).text.includes(what), { what: `${path} to show ${what}` }),
  };
}

/** Returns the number of statements of a visit once its page is kept. */
export async function countVisitStatements(
  store: Pick<Awaited<ReturnType<typeof openLive>>, 'visit'>,
  path: string,
): Promise<number> {
  const visit = async () => expect((await store.visit(path)).status).toBe(200);
  const counts: number[] = [];
  // Background tasks add statements now and then, so the minimum counts.
  for (let i = 0; i < 6; i++) counts.push(await countStatements(visit));
  return Math.min(...counts);
}
