import { type BlockPlacement, type BlockUse, type InstalledApp, newId } from '@waybill/contracts';
import type { PageDocument } from '@waybill/page';
import { isOnCitus, openTestDatabase, startSystem, type TestSystem } from '@waybill/testing';
import { CompiledQuery, sql } from 'kysely';
import request from 'supertest';
import { listPlacements } from '../src/editing/block-uses/queries.ts';
import { content } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';
import { blockRef, createPage, sectionRef, text } from './documents.ts';
import { createNeighbours } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services], { PUBLIC_BASE_URL: 'https://shop.example' });
});
afterAll(() => system.stop());

const [appId, otherId] = [newId('app'), newId('app')];
const versionId = newId('appVersion');
const badge = { key: 'badge', name: 'Badge', rootId: 'r', nodes: [{ id: 'r', type: 'text' }] };
const installed: InstalledApp = {
  appId,
  appName: 'App',
  versionId,
  versionNumber: 1,
  choice: 1,
  blocks: [badge],
  islands: [],
  connectOrigins: [],
};

const internal = async <Reply>(path: string, body: object): Promise<Reply> => {
  const res = await request(system.internalUrl)
    .post(`/internal/${path}`)
    .set('authorization', `Bearer ${system.serviceToken}`)
    .send(body);
  expect(res.status).toBe(200);
  return res.body;
};

/** The used parts of PostgreSQL's plan of an executed statement. */
interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}
const listNodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(listNodes)];

async function open() {
  const store = await newStore(system);
  neighbours.apps.set(store.storeId, [installed]);
  const ok = async (res: Promise<{ status: number; body: Record<string, { id: string }> }>) => {
    const { status, body } = await res;
    if (status >= 300) throw new Error(JSON.stringify(body));
    return body;
  };
  const postCreated = async (kind: string, path: string, body: object) =>
    (await ok(store.api('POST', `/api/v1/${path}`, body)))[kind]!.id;
  return {
    ...store,
    page: (name: string) => postCreated('page', 'pages', { name }),
    save: (id: string, document: PageDocument) => ok(store.edit('PUT', `/pages/${id}/draft`, { document })),
    publish: (id: string, kind = 'pages') => ok(store.api('POST', `/api/v1/${kind}/${id}/publish`)),
    article: (title: string) => postCreated('article', 'articles', { title, status: 'published' }),
    write: (id: string, document: PageDocument) =>
      ok(store.edit('PUT', `/articles/${id}/document`, { document })),
    section: async (name: string, document: PageDocument) =>
      (await ok(store.edit('POST', '/sections', { name, document }))).section!.id,
    saveSection: (id: string, name: string, document: PageDocument) =>
      ok(store.edit('PUT', `/sections/${id}`, { name, document })),
    /** Returns, by block, the name of each place, and whether it is live, a draft, or both. */
    async uses(blockKeys = ['badge'], of = appId) {
      const query = { storeId: store.storeId, appId: of, blockKeys };
      const { uses } = await internal<{ uses: BlockUse[] }>('block-uses', query);
      return Object.fromEntries(uses.map(({ blockKey, places }) => [blockKey, places.map(brief)]));
    },
  };
}
const brief = ({ type, name, live, draft }: BlockPlacement) =>
  `${type} ${name}${live ? ' live' : ''}${draft ? ' draft' : ''}`;
const withBadge = createPage(text('t', 'x'), blockRef('b', appId, 'badge'));
const empty = createPage(text('t', 'x'));

describe('where the blocks of an app stand', () => {
  test('is told of live pages and drafts, each as it is', async () => {
    const store = await open();
    const [live, both, draft, dropped] = [
      await store.page('Live'),
      await store.page('Both'),
      await store.page('Draft'),
      await store.page('Dropped'),
    ];
    for (const id of [live, both, dropped]) {
      await store.save(id!, id === dropped ? empty : withBadge);
      await store.publish(id!);
    }
    await store.save(both!, createPage(blockRef('b', appId, 'badge')));
    await store.save(draft!, withBadge);
    await store.save(dropped!, withBadge);
    const all = ['page Live live', 'page Both live draft', 'page Draft draft', 'page Dropped draft'];
    expect(await store.uses()).toEqual({ badge: all });
    await store.edit('DELETE', `/pages/${dropped}/draft`);
    await store.save(both!, empty);
    expect(await store.uses()).toEqual({ badge: ['page Live live', 'page Both live', 'page Draft draft'] });
  });

  test('goes through sections, as they are saved and as live pages show them', async () => {
    const store = await open();
    const inner = await store.section('Inner', withBadge);
    const outer = await store.section('Outer', createPage(sectionRef('s', inner)));
    const home = await store.page('Home');
    await store.save(home, createPage(sectionRef('s', outer)));
    const draft = ['page Home draft', 'section Inner draft', 'section Outer draft'];
    expect(await store.uses()).toEqual({ badge: draft });
    await store.publish(home);
    const live = ['page Home live', 'section Inner live', 'section Outer live'];
    expect(await store.uses()).toEqual({ badge: live });
    await store.saveSection(inner, 'Inner', empty);
    expect(await store.uses()).toEqual({ badge: live });
    await store.save(home, createPage(sectionRef('s', outer), text('t', 'again')));
    await store.publish(home);
    expect(await store.uses()).toEqual({});
  });

  test('holds for articles, published or not', async () => {
    const store = await open();
    const [shown, waiting] = [await store.article('Shown'), await store.article('Waiting')];
    await store.write(shown, withBadge);
    await store.publish(shown, 'articles');
    await store.write(waiting, withBadge);
    expect(await store.uses()).toEqual({ badge: ['article Shown live', 'article Waiting draft'] });
    await store.edit('PATCH', `/articles/${shown}`, { status: 'draft' });
    expect(await store.uses()).toEqual({ badge: ['article Shown draft', 'article Waiting draft'] });
    expect((await store.edit('POST', `/articles/${waiting}/convert`, { bodyType: 'html' })).status).toBe(200);
    expect(await store.uses()).toEqual({ badge: ['article Shown draft'] });
  });

  test('holds for templates, which are on many pages, and for the sections in them', async () => {
    const store = await open();
    const inner = await store.section('Inner', withBadge);
    const template = (kind: string, document: PageDocument) =>
      store.edit('PUT', `/templates/${kind}/draft`, { document });
    expect((await template('header', withBadge)).status).toBe(200);
    expect((await template('footer', createPage(sectionRef('s', inner)))).status).toBe(200);
    const saved = ['section Inner draft', 'template footer draft', 'template header draft'];
    expect(await store.uses()).toEqual({ badge: saved });
    for (const kind of ['header', 'footer'])
      expect((await store.edit('POST', `/templates/${kind}/publish`)).status).toBe(200);
    const live = ['section Inner live', 'template footer live', 'template header live'];
    expect(await store.uses()).toEqual({ badge: live });
    const { usage } = (await store.edit('GET', `/sections/${inner}/usage`)).body;
    expect(usage).toEqual([{ type: 'template', id: 'tpl_footer', name: 'footer', live: true }]);
    for (const kind of ['header', 'footer'])
      expect((await store.edit('DELETE', `/templates/${kind}`)).status).toBe(204);
    expect(await store.uses()).toEqual({ badge: ['section Inner draft'] });
  });

  test('tells blocks, apps and stores apart, and finds blocks on live pages that nobody asked for', async () => {
    const [store, other] = [await open(), await open()];
    const home = await store.page('Home');
    await store.save(home, createPage(blockRef('b', appId, 'badge'), blockRef('c', otherId, 'badge')));
    await store.publish(home);
    expect(await store.uses([])).toEqual({ badge: ['page Home live'] });
    expect(await store.uses(['other'], otherId)).toEqual({ badge: ['page Home live'] });
    expect(await other.uses()).toEqual({});
    expect(await store.uses(['badge'], newId('app'))).toEqual({});
    const body = { storeId: store.storeId, appId, blockKeys: [] };
    const { uses } = await internal<{ uses: BlockUse[] }>('block-uses', body);
    const place = { type: 'page', id: home, name: 'Home', live: true, draft: false, versionIds: [versionId] };
    expect(uses).toEqual([
      { blockKey: 'badge', pages: [{ id: home, name: 'Home' }], places: [place], hasMore: false },
    ]);
  });

  test('is told whatever texts a document holds, those that look like a block among them', async () => {
    const store = await open();
    const odd = createPage(text('t', '\\ "blockRef" '), {
      ...blockRef('b', appId, 'badge'),
      props: {
        specials: { appId, blockKey: 'badge' },
        settings: { $root: { specials: { text: '"type":"sectionRef" \\' } } },
      },
    });
    await store.save(await store.page('Odd'), odd);
    expect(await store.uses()).toEqual({ badge: ['page Odd draft'] });
  });

  test('is found by indexes among 20,000 drafts, and told of 500 at most', async () => {
    const store = await open();
    const db = await openTestDatabase<Tables>(system.databaseUrl('content'));
    const { storeId } = store;
    const pageId = sql`'pag_' || lpad(i::text, 26, '0')`;
    await sql`insert into page (store_id, id, name, slug, position, is_homepage, settings, created_at, updated_at)
      select ${storeId}, ${pageId}, 'Page ' || i, 'p-' || i, i, i = 0, '{}', now(), now()
      from generate_series(0, 19999) i`.execute(db);
    // 600 hold the block; the others hold a different one, so that no index excludes them.
    await sql`insert into page_draft (store_id, page_id, document)
      select ${storeId}, ${pageId}, replace(${JSON.stringify(withBadge)}, ${appId},
        case when i % 100 < 3 then ${appId} else ${otherId} end)::json
      from generate_series(0, 19999) i`.execute(db);
    await sql`analyze page, page_draft`.execute(db);
    const query = { storeId, appId, blockKeys: ['badge'] };
    const { uses } = await internal<{ uses: BlockUse[] }>('block-uses', query);
    expect(uses[0]).toMatchObject({ hasMore: true, pages: [] });
    expect(uses[0]!.places).toHaveLength(500);
    // The plan of a cluster does not say what its servers read.
    if (isOnCitus) return void (await db.destroy());
    const { sql: text, parameters } = listPlacements({ ...query, limit: 500 });
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      CompiledQuery.raw(`explain (analyze, timing off, format json) ${text}`, [...parameters]),
    );
    const readings = listNodes(rows[0]!['QUERY PLAN'][0].Plan).filter(
      (node) => node['Relation Name'] === 'page_draft',
    );
    const readRows = (node: Plan) =>
      node['Actual Loops'] *
      (node['Actual Rows'] +
        (node['Rows Removed by Filter'] ?? 0) +
        (node['Rows Removed by Index Recheck'] ?? 0));
    expect(readings.map(readRows)).toEqual([600]);
    await db.destroy();
  });
});

test('a block is drawn as on the canvas: bound values as samples, a sample product, no islands', async () => {
  const nodes = [
    { id: 'r', type: 'container', children: ['t', 'p'] },
    {
      id: 't',
      type: 'text',
      island: 'stars',
      props: {
        specials: { text: 'No <b>reviews' },
        bindings: [{ source: 'app.average', field: 'specials.text' }],
      },
    },
    { id: 'p', type: 'product', children: ['n'] },
    { id: 'n', type: 'productTitle' },
  ];
  const slots = [{ name: 'product', nodeId: 'p' }];
  const attributes = [{ widget: 'product', slot: 'product', target: 'specials', writeKey: 'productId' }];
  const traits = [{ key: 'p', label: 'Product', attributes }];
  const block = { key: 'x', name: 'X', rootId: 'r', nodes, slots, traits };
  const { html } = await internal<{ html: string }>('block-renderings', { appId, block });
  expect(html).toContain('{average}');
  expect(html).toContain('Sample product');
  expect(html).toContain('data-wb-node="reference/r"');
  expect(html).not.toMatch(/data-wb-island|No <b>/);
  const hostile = await internal<{ html: string; css: string }>('block-renderings', {
    appId,
    block: { rootId: 'r', nodes: [{ id: 'r', type: 'no such', children: ['r'] }] },
  });
  expect(hostile).toEqual({ html: '', css: '' });
});
