import { startSystem, type TestSystem } from '@waybill/testing';
import { content } from '../src/index.ts';
import { createPage, text } from './documents.ts';
import { createNeighbours } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services]);
});
afterAll(() => system.stop());

type Store = Awaited<ReturnType<typeof newStore>>;

const document = (n: number) => ({ document: createPage(text('words', `of tab ${n}`)) });

/** Documents that two tabs overwrite independently: their path, and the body of the nth tab. */
const places = {
  "a page's draft": {
    at: async ({ api }: Store) =>
      `/pages/${(await api('POST', '/api/v1/pages', { name: 'Page' })).body.page.id}/draft`,
    body: document,
  },
  'a template': { at: async () => '/templates/footer/draft', body: document },
  "an article's document": {
    at: async ({ api }: Store) =>
      `/articles/${(await api('POST', '/api/v1/articles', { title: 'News' })).body.article.id}/document`,
    body: document,
  },
  'a theme': {
    at: async () => '/theme',
    body: (n: number) => ({ theme: { colors: { primary: `#00000${n % 10}` } } }),
  },
};

describe.each(Object.entries(places))('%s', (_, { at, body }) => {
  async function open() {
    const store = await newStore(system);
    const edit = store.asMember('admin');
    const path = await at(store);
    return {
      read: () => edit('GET', path),
      write: (n: number, headers: Record<string, string>) => edit('PUT', path, body(n), headers),
    };
  }

  test('is written by who knows what is stored, and by nobody else', async () => {
    const { read, write } = await open();
    const first = await write(1, {});
    expect([first.status, first.headers.etag]).toEqual([200, (await read()).headers.etag]);
    const before = { 'if-match': first.headers.etag! };
    const second = await write(2, before);
    expect(second.status).toBe(200);
    const late = await write(3, before);
    expect([late.status, late.body.code]).toEqual([412, 'precondition_failed']);
    expect(late.headers.etag).toBe(second.headers.etag);
    expect((await read()).headers.etag).toBe(second.headers.etag);
  });

  test('is made by one of those who say that nothing is stored, and replaced by none of them', async () => {
    const { read, write } = await open();
    const asFirst = { 'if-none-match': '*' };
    const tabs = Array.from({ length: 8 }, (_, n) => n);
    const replies = await Promise.all(tabs.map((n) => write(n, asFirst)));
    const [winner, ...others] = replies.filter(({ status }) => status === 200);
    expect([others, replies.filter(({ status }) => status === 412).length]).toEqual([[], 7]);
    const late = await write(9, asFirst);
    expect([late.status, late.body.code]).toEqual([412, 'precondition_failed']);
    expect([late.headers.etag, (await read()).headers.etag]).toEqual(Array(2).fill(winner!.headers.etag));
  });
});

test('a template that went back to its default can be made first again', async () => {
  const { asMember } = await newStore(system);
  const edit = asMember('admin');
  const asFirst = { 'if-none-match': '*' };
  for (let n = 0; n < 2; n++) {
    expect((await edit('PUT', '/templates/footer/draft', document(n), asFirst)).status).toBe(200);
    expect((await edit('PUT', '/templates/footer/draft', document(n), asFirst)).status).toBe(412);
    expect((await edit('DELETE', '/templates/footer')).status).toBe(204);
  }
});

test('404 for the document of an article that is not there', async () => {
  const { edit } = await newStore(system);
  const path = `/articles/art_${'0'.repeat(26)}/document`;
  expect((await edit('PUT', path, document(1), { 'if-none-match': '*' })).status).toBe(404);
});
