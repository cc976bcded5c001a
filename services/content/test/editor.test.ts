import type { InstalledApp } from '@waybill/contracts';
import { startSystem, type TestSystem } from '@waybill/testing';
import { content } from '../src/index.ts';
import { blockRef, link, type Node, pageOf, product, sectionRef, text } from './documents.ts';
import { createNeighbours, makeProduct } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services], { PUBLIC_BASE_URL: 'https://shop.example' });
});
afterEach(() => neighbours.down.clear());
afterAll(() => system.stop());

async function open() {
  const store = await newStore(system);
  const { api, edit } = store;
  return {
    ...store,
    newPage: async (name = 'Page') => (await api('POST', '/api/v1/pages', { name })).body.page.id as string,
    newSection: async (document: unknown) =>
      (await edit('POST', '/sections', { name: 'Section', document })).body.section,
    save: (id: string, document: unknown) => edit('PUT', `/pages/${id}/draft`, { document }),
    async publish(id: string) {
      expect((await api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200);
    },
  };
}

const appId = `app_${'0'.repeat(26)}`;
const reviews: InstalledApp = {
  appId,
  versionId: 'ver_1',
  versionNumber: 1,
  blocks: [
    {
      ...pageOf(text('words', 'authored')),
      key: 'reviews',
      name: 'Reviews',
      slots: [{ name: 'words', nodeId: 'words' }],
      traits: [
        {
          key: 'look',
          label: 'Look',
          attributes: [{ widget: 'color', slot: 'words', target: 'style', writeKey: 'color' }],
        },
      ],
    },
  ],
  islands: [],
  connectOrigins: [],
  choice: 1,
};

describe('a draft', () => {
  test('the revision counts what there is to edit, whether it is published or not', async () => {
    const store = await open();
    const id = await store.newPage();
    const save = async (says: string) =>
      (await store.edit('PUT', `/pages/${id}/draft`, { document: pageOf(text('t', says)) })).body.draft
        .revision;
    const read = async () => (await store.edit('GET', `/pages/${id}/draft`)).body;
    expect([await save('a'), await save('a'), await save('b')]).toEqual([1, 1, 2]);
    const saved = await read();
    expect((await store.api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200);
    expect(await read()).toEqual(saved);
    expect(await save('b')).toBe(3);
  });

  test('DELETE drops the draft: what is live is edited again, and nothing is counted of what was dropped', async () => {
    const store = await open();
    const id = await store.newPage();
    const section = await store.newSection(pageOf(text('t', 'Footer')));
    const save = async (document: unknown) =>
      (await store.edit('PUT', `/pages/${id}/draft`, { document })).status;
    const total = async () =>
      (await store.api('GET', '/api/v1/translations/progress?locale=de')).body.progress.byEntityType.node
        .total;
    await save(pageOf(text('t', 'live')));
    await store.api('POST', `/api/v1/pages/${id}/publish`);
    const before = await total();
    expect(await save(pageOf(text('t', 'live'), text('u', 'draft'), sectionRef('s', section.id)))).toBe(200);
    expect(await total()).toBe(before + 1);
    expect((await store.edit('DELETE', `/pages/${id}/draft`)).status).toBe(204);
    const { document, draft } = (await store.edit('GET', `/pages/${id}/draft`)).body;
    expect(document).toEqual(pageOf(text('t', 'live')));
    expect(draft).toEqual({ revision: 3, savedAt: null, savedBy: null });
    expect(await total()).toBe(before);
    expect((await store.api('GET', `/api/v1/pages/${id}`)).body.page).toMatchObject({
      hasDraft: false,
      live: true,
    });
    expect((await store.edit('DELETE', `/sections/${section.id}`)).status).toBe(204);
    expect((await store.edit('DELETE', `/pages/${id}/draft`)).status).toBe(204);
    expect((await store.edit('GET', `/pages/${id}/draft`)).body.draft.revision).toBe(3);
    expect((await store.asMember('viewer')('DELETE', `/pages/${id}/draft`)).body.code).toBe(
      'insufficient_role',
    );
    expect((await store.edit('DELETE', `/pages/pag_${'0'.repeat(26)}/draft`)).body.code).toBe('not_found');
  });

  describe('is saved with warnings', () => {
    const unknown = (prefix: string) => `${prefix}_${'9'.repeat(26)}`;
    const withSettings = (node: Node, settings: object): Node => ({
      ...node,
      props: { ...node.props, settings } as never,
    });

    test('of what is not there, and of what no trait opens', async () => {
      const store = await open();
      const id = await store.newPage();
      const tea = makeProduct('Tea', 900);
      neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
      neighbours.apps.set(store.storeId, [reviews]);
      const settings = {
        words: { style: { base: { color: 'red' } }, specials: { text: 'x' } },
        word: { style: { base: { color: 'red' } } },
      };
      const res = await store.save(
        id,
        pageOf(
          withSettings(blockRef('0', appId, 'reviews'), settings),
          blockRef('1', appId, 'review'),
          blockRef('2', `${appId.slice(0, -1)}1`, 'reviews'),
          { ...product('3', unknown('prd')), children: [] },
          { ...product('4', tea.id), children: [] },
          { id: '5', type: 'image', props: { specials: { src: unknown('mda') } } },
          link('6', unknown('pag')),
          link('7', id),
          text('8', unknown('prd')),
        ),
      );
      expect(res.status).toBe(200);
      expect(res.body.warnings).toEqual([
        ...[
          ['0/props/settings/words/specials', 'unopened_write', 'is opened by no trait of this block'],
          ['0/props/settings/word', 'unknown_slot', 'is no slot of this block (did you mean words?)'],
          ['1/props/specials/blockKey', 'unknown_block', 'is no block of this app (did you mean reviews?)'],
          [
            '2/props/specials/appId',
            'unknown_app',
            `is no app that is available in this store (did you mean ${appId}?)`,
          ],
          ['3/props/specials/productId', 'unknown_product', 'is no active product of this store'],
          ['5/props/specials/src', 'unknown_media', 'is no media asset of this store'],
          ['6/props/specials/href/pageId', 'unknown_page', 'is no page of this store'],
        ].map(([place, code, message]) => {
          const [, node, rest] = /^(\d+)(.*)$/.exec(place!)!;
          return { pointer: `/document/nodes/${Number(node) + 1}${rest}`, code, message };
        }),
      ]);
    });

    test('but of nothing that nobody could say, and the save holds', async () => {
      const store = await open();
      const id = await store.newPage();
      for (const service of ['catalog', 'media', 'app-platform']) neighbours.down.add(service);
      const document = pageOf(blockRef('b', appId, 'x'), { ...product('p', unknown('prd')), children: [] });
      expect((await store.save(id, document)).body).toMatchObject({ document, warnings: [] });
    });
  });
});
