import type { InstalledApp } from '@waybill/contracts';
import { renderDocument } from '@waybill/page';
import { openTestDatabase, runSql, shiftTimes, startSystem, type TestSystem } from '@waybill/testing';
import { type Kysely, sql } from 'kysely';
import { content } from '../src/index.ts';
import { pruneHistory } from '../src/publication/history/prune.ts';
import type { Tables } from '../src/tables.ts';
import { blockRef, createPage, link, type Node, product, sectionRef, text } from './documents.ts';
import { createNeighbours, getSlug, makeProduct } from './neighbours.ts';
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
    revisions: async (path: string) => (await edit('GET', `${path}/revisions`)).body,
    /** Simulates a minute without saves. */
    waitAMinute: () =>
      runSql(
        system,
        'content',
        `update revision set ${shiftTimes('begun_at', '61 seconds')} where store_id = '${store.storeId}'`,
      ),
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
  appName: 'Stars',
  versionId: 'ver_1',
  versionNumber: 1,
  blocks: [
    {
      ...createPage(text('words', 'authored')),
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
  test('the revision counts each change of the document to edit, published or not', async () => {
    const store = await open();
    const id = await store.newPage();
    const save = async (says: string) =>
      (await store.edit('PUT', `/pages/${id}/draft`, { document: createPage(text('t', says)) })).body.draft
        .revision;
    const read = async () => (await store.edit('GET', `/pages/${id}/draft`)).body;
    expect([await save('a'), await save('a'), await save('b')]).toEqual([1, 1, 2]);
    const saved = await read();
    expect((await store.api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200);
    expect(await read()).toEqual(saved);
    expect(await save('b')).toBe(3);
  });

  test('DELETE drops the draft: the live document is edited again, and the draft no longer counts', async () => {
    const store = await open();
    const id = await store.newPage();
    const section = await store.newSection(createPage(text('t', 'Footer')));
    const save = async (document: unknown) =>
      (await store.edit('PUT', `/pages/${id}/draft`, { document })).status;
    const total = async () =>
      (await store.api('GET', '/api/v1/translations/progress?locale=de')).body.progress.byEntityType.node
        .total;
    await save(createPage(text('t', 'live')));
    await store.api('POST', `/api/v1/pages/${id}/publish`);
    const before = await total();
    expect(await save(createPage(text('t', 'live'), text('u', 'draft'), sectionRef('s', section.id)))).toBe(
      200,
    );
    expect(await total()).toBe(before + 1);
    expect((await store.edit('DELETE', `/pages/${id}/draft`)).status).toBe(204);
    const { document, draft } = (await store.edit('GET', `/pages/${id}/draft`)).body;
    expect(document).toEqual(createPage(text('t', 'live')));
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

    test('about missing resources and about settings that no trait opens', async () => {
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
        createPage(
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

    test('but without those that cannot be decided, and is saved anyway', async () => {
      const store = await open();
      const id = await store.newPage();
      for (const service of ['catalog', 'media', 'app-platform']) neighbours.down.add(service);
      const document = createPage(blockRef('b', appId, 'x'), {
        ...product('p', unknown('prd')),
        children: [],
      });
      expect((await store.save(id, document)).body).toMatchObject({ document, warnings: [] });
    });
  });
});

describe('a history', () => {
  const document = (says: string) => createPage(text('t', says));
  const listKinds = ({ revisions }: { revisions: { kind: string; userId: string | null }[] }) =>
    revisions.map(({ kind, userId }) => `${kind} ${userId}`);

  test('has every save and publish with its author, newest first', async () => {
    const store = await open();
    const id = await store.newPage();
    await store.save(id, document('one'));
    await store.publish(id);
    await store.asMember('editor', 'usr_gone')('PUT', `/pages/${id}/draft`, { document: document('two') });
    const history = await store.revisions(`/pages/${id}`);
    expect(history).toEqual({
      revisions: [
        ['draft', 'usr_gone', null],
        ['published', null, null],
        ['draft', 'usr_1', 'Name of usr_1'],
      ].map(([kind, userId, userName]) => ({
        id: expect.stringMatching(/^rev_[0-9a-z]{26}$/),
        kind,
        userId,
        userName,
        nodes: 2,
        createdAt: expect.stringMatching(/Z$/),
      })),
      total: 3,
      nextCursor: null,
    });
    const page = await store.edit('GET', `/pages/${id}/revisions?limit=1&offset=1`);
    expect(page.body).toEqual({
      revisions: [history.revisions[1]],
      total: 3,
      nextCursor: expect.any(String),
    });
    const first = history.revisions[2];
    const read = await store.edit('GET', `/pages/${id}/revisions/${first.id}`);
    expect(read.body).toEqual({ document: document('one'), revision: first });
    neighbours.down.add('identity');
    expect((await store.revisions(`/pages/${id}`)).revisions[2]).toEqual({ ...first, userName: null });
  });

  test("keeps the last of one user's saves within a minute of the first, and none that changes nothing", async () => {
    const store = await open();
    const id = await store.newPage();
    const other = store.asMember('editor', 'usr_2');
    for (const says of ['a', 'b', 'b']) await store.save(id, document(says));
    await other('PUT', `/pages/${id}/draft`, { document: document('c') });
    await store.save(id, document('d'));
    const history = await store.revisions(`/pages/${id}`);
    expect(history.total).toBe(2);
    expect(listKinds(history)).toEqual(['draft usr_1', 'draft usr_2']);
    await store.waitAMinute();
    await store.save(id, document('e'));
    await store.save(id, document('f'));
    const later = await store.revisions(`/pages/${id}`);
    expect(listKinds(later)).toEqual(['draft usr_1', 'draft usr_1', 'draft usr_2']);
    expect(later.revisions[1]).toEqual(history.revisions[0]);
    const newest = await store.edit('GET', `/pages/${id}/revisions/${later.revisions[0].id}`);
    expect(newest.body.document).toEqual(document('f'));
  });

  test('restores a revision as the draft, which is a save of its own', async () => {
    const store = await open();
    const id = await store.newPage();
    await store.save(id, document('one'));
    await store.publish(id);
    await store.waitAMinute();
    await store.save(id, document('two'));
    const { revisions } = await store.revisions(`/pages/${id}`);
    const restore = (revisionId: string, as = store.edit) =>
      as('POST', `/pages/${id}/revisions/${revisionId}/restore`);
    const restored = await restore(revisions[1].id, store.asMember('editor', 'usr_2'));
    expect(restored).toMatchObject({
      status: 200,
      body: { document: document('one'), draft: { revision: 3, savedBy: 'usr_2' } },
    });
    expect((await store.edit('GET', `/pages/${id}/draft`)).body).toEqual(restored.body);
    expect(listKinds(await store.revisions(`/pages/${id}`))).toEqual([
      'draft usr_2',
      'draft usr_1',
      'published null',
      'draft usr_1',
    ]);
    expect((await restore(revisions[0].id, store.asMember('viewer'))).body.code).toBe('insufficient_role');
    const other = await open();
    const otherPage = await other.newPage();
    for (const [pageId, revisionId] of [
      [id, `rev_${'0'.repeat(26)}`],
      [id, 'x'],
      [otherPage, revisions[0].id],
    ]) {
      const res = await store.edit('POST', `/pages/${pageId}/revisions/${revisionId}/restore`);
      expect(res.body.code).toBe('not_found');
    }
  });

  test('cannot restore a deleted section', async () => {
    const store = await open();
    const id = await store.newPage();
    const { id: sectionId } = await store.newSection(document('section'));
    await store.save(id, createPage(sectionRef('s', sectionId)));
    await store.waitAMinute();
    await store.save(id, document('none'));
    expect((await store.edit('DELETE', `/sections/${sectionId}`)).status).toBe(204);
    const { revisions } = await store.revisions(`/pages/${id}`);
    const res = await store.edit('POST', `/pages/${id}/revisions/${revisions[1].id}/restore`);
    expect(res.body).toMatchObject({
      code: 'invalid_document',
      details: [{ pointer: '/document/nodes/1/props/specials/sectionId' }],
    });
  });

  test('of a section has the publishes of pages that contain it, of an article its former bodies', async () => {
    const store = await open();
    const { id: sectionId } = await store.newSection(document('one'));
    const id = await store.newPage();
    for (const says of ['a', 'b']) {
      await store.save(id, createPage(text('t', says), sectionRef('s', sectionId)));
      await store.publish(id);
    }
    const history = await store.revisions(`/sections/${sectionId}`);
    expect(listKinds(history)).toEqual(['published null', 'draft usr_1']);
    await store.edit('PUT', `/sections/${sectionId}`, { name: 'Renamed', document: document('two') });
    const path = `/sections/${sectionId}/revisions/${history.revisions[0].id}`;
    const restored = (await store.edit('POST', `${path}/restore`)).body.section;
    expect(restored).toMatchObject({ name: 'Renamed', document: document('one'), revision: 3 });

    const article = (await store.api('POST', '/api/v1/articles', { title: 'A' })).body.article;
    for (const says of ['one', 'two']) {
      await store.edit('PUT', `/articles/${article.id}/document`, { document: document(says) });
      await store.api('POST', `/api/v1/articles/${article.id}/publish`);
    }
    const ofArticle = await store.revisions(`/articles/${article.id}`);
    expect(listKinds(ofArticle)).toEqual(['published null', 'draft usr_1', 'published null']);
    const oldest = `/articles/${article.id}/revisions/${ofArticle.revisions[2].id}`;
    const back = await store.edit('POST', `${oldest}/restore`);
    expect(back.body).toMatchObject({ document: document('one'), draft: { revision: 3 } });
  });

  describe('is pruned', () => {
    let db: Kysely<Tables>;
    beforeAll(async () => {
      db = await openTestDatabase<Tables>(system.databaseUrl('content'));
    });
    afterAll(() => db.destroy());
    const prune = async () => {
      while (await pruneHistory({ transaction: (work) => db.transaction().execute(work) }));
    };
    const countDocuments = async (ownerId: string) =>
      (await db.selectFrom('revision_document').select('hash').where('owner_id', '=', ownerId).execute())
        .length;
    /** Inserts revisions of a page that are older than all others, with different documents or all with the same. */
    const fill = (
      { storeId }: { storeId: string },
      ownerId: string,
      { count, kind, days, bytes = 2 }: { count: number; kind: string; days: number; bytes?: number },
    ) =>
      sql`
        with added as (
          insert into revision (store_id, owner_id, id, kind, created_at, begun_at, nodes, hash)
          select ${storeId}, ${ownerId}, 'rev_' || lpad((${100_000 - days * 1000}::int + i)::text, 26, '0'), ${kind},
            now() - make_interval(days => ${days}), now() - make_interval(days => ${days}), 1,
            sha256(convert_to(${kind} || ${days} || '/' || i, 'utf8'))
          from generate_series(1, ${count}) i returning store_id, owner_id, hash
        ), documents as (
          insert into revision_document (store_id, owner_id, hash, document) select *, '{}' from added returning 1
        )
        update history set revisions = revisions + ${count}, bytes = bytes + (select count(*) from documents) * ${bytes},
          prune_at = now()
        where store_id = ${storeId} and owner_id = ${ownerId}`.execute(db);

    test('to the last hundred revisions and the publishes of 90 days', async () => {
      const store = await open();
      const id = await store.newPage();
      await store.save(id, document('newest'));
      await fill(store, id, { count: 30, kind: 'published', days: 91 });
      await fill(store, id, { count: 250, kind: 'draft', days: 80 });
      await fill(store, id, { count: 20, kind: 'published', days: 70 });
      await fill(store, id, { count: 79, kind: 'draft', days: 60 });
      await fill(store, id, { count: 10, kind: 'published', days: 50 });
      await prune();
      const history = await store.edit('GET', `/pages/${id}/revisions?limit=200`);
      // The save, 10, 79, 10 of the 20, and the rest of them, which were published.
      expect(history.body.total).toBe(110);
      expect(history.body.revisions.length).toBe(110);
      expect(await countDocuments(id)).toBe(110);
      const { prune_at } = await db
        .selectFrom('history')
        .select('prune_at')
        .where('owner_id', '=', id)
        .executeTakeFirstOrThrow();
      const days = (prune_at!.getTime() - Date.now()) / (24 * 3600_000);
      expect(Math.round(days)).toBe(20);
    });

    test('earlier if its documents are large, to the last hundred', async () => {
      const store = await open();
      const id = await store.newPage();
      await store.save(id, document('newest'));
      await fill(store, id, { count: 120, kind: 'published', days: 5, bytes: 3 * 1024 * 1024 });
      await prune();
      expect((await store.revisions(`/pages/${id}`)).total).toBe(101 - 1);
    });

    test('completely once its page is deleted', async () => {
      const store = await open();
      const id = await store.newPage();
      await store.save(id, document('newest'));
      await fill(store, id, { count: 250, kind: 'published', days: 5 });
      await store.api('DELETE', `/api/v1/pages/${id}`);
      expect((await store.edit('GET', `/pages/${id}/revisions`)).body.code).toBe('not_found');
      await prune();
      expect(await countDocuments(id)).toBe(0);
      expect(await db.selectFrom('history').selectAll().where('owner_id', '=', id).execute()).toEqual([]);
    });
  });
});

test('the documents that contain a section are listed, live ones first', async () => {
  const store = await open();
  const { id } = await store.newSection(createPage(text('t', 'Footer')));
  const usage = async () => (await store.edit('GET', `/sections/${id}/usage`)).body.usage;
  expect(await usage()).toEqual([]);
  const outer = await store.newSection(createPage(sectionRef('r', id)));
  const [drafted, live] = [await store.newPage(), await store.newPage()];
  for (const page of [drafted, live])
    await store.edit('PUT', `/pages/${page}/draft`, { document: createPage(sectionRef('r', id)) });
  expect((await store.api('POST', `/api/v1/pages/${live}/publish`)).status).toBe(200);
  // The draft no longer uses it, but visitors still see it.
  await store.edit('PUT', `/pages/${live}/draft`, { document: createPage(text('t', 'Bare')) });
  expect(await usage()).toEqual([
    { type: 'page', id: live, name: expect.any(String), live: true },
    { type: 'page', id: drafted, name: expect.any(String), live: false },
    { type: 'section', id: outer.id, name: expect.any(String), live: false },
  ]);
  const other = await open();
  expect((await other.edit('GET', `/sections/${id}/usage`)).body.code).toBe('not_found');
});

describe('a canvas', () => {
  const canvas = (store: Awaited<ReturnType<typeof open>>, id: string, body: object) =>
    store.edit('POST', `/pages/${id}/canvas`, body);

  test('is drawn from the answer exactly as the preview, in every locale', async () => {
    const store = await open();
    const id = await store.newPage();
    const tea = makeProduct('Tea', 900);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    neighbours.apps.set(store.storeId, [reviews]);
    const { id: sectionId } = await store.newSection(createPage(text('s', 'In the section')));
    const document = createPage(
      text('t', 'Hello'),
      product('p', tea.id),
      link('l', id),
      sectionRef('r', sectionId),
      blockRef('b', appId, 'reviews'),
    );
    const entries = [
      ['node', `${id}:t`, 'text', 'Hallo'],
      ['node', 't', 'text', 'Nicht dies'],
      ['node', `${sectionId}:s`, 'text', 'Im Abschnitt'],
      ['node', 'b/words', 'text', 'Im Block'],
      ['product', tea.id, 'name', 'Tee'],
    ].map(([entityType, entityId, field, value]) => ({ locale: 'de', entityType, entityId, field, value }));
    await store.api('PUT', '/api/v1/translations', { entries });
    for (const [locale, words] of [
      [undefined, ['Hello', 'Tea', 'In the section', 'authored']],
      ['en', ['Hello', 'Tea', 'In the section', 'authored']],
      ['de', ['Hallo', 'Tee', 'Im Abschnitt', 'Im Block']],
    ] as const) {
      const body = { document, ...(locale && { locale }) };
      const res = await canvas(store, id, body);
      expect(res).toMatchObject({ status: 200, body: { problems: [] } });
      const { html, css } = renderDocument(document, res.body.sources);
      const preview = (await store.edit('POST', `/pages/${id}/preview`, body)).text;
      expect(preview).toContain(html);
      expect(preview).toContain(`${css}</style>`);
      for (const word of words) expect(html).toContain(word);
    }
    expect((await store.api('GET', `/api/v1/pages/${id}`)).body.page.hasDraft).toBe(false);
  });

  test('shows a section that no page contains', async () => {
    const store = await open();
    const held = await store.newSection(createPage(text('h', 'Held')));
    const document = createPage(text('t', 'Footer'), sectionRef('r', held.id));
    const { id } = await store.newSection(document);
    const entries = [
      { locale: 'de', entityType: 'node', entityId: `${id}:t`, field: 'text', value: 'Fußzeile' },
    ];
    await store.api('PUT', '/api/v1/translations', { entries });
    const drawn = async (body: object) => {
      const res = await store.asMember('viewer')('POST', `/sections/${id}/canvas`, { document, ...body });
      expect(res).toMatchObject({ status: 200, body: { problems: [] } });
      return renderDocument(document, res.body.sources).html;
    };
    const html = await drawn({});
    expect(html).toContain('Footer');
    expect(html).toContain('Held');
    expect(await drawn({ locale: 'de' })).toContain('Fußzeile');
    const unknown = await store.edit('POST', `/sections/sec_${'9'.repeat(26)}/canvas`, { document });
    expect(unknown.body.code).toBe('not_found');
  });

  test('is prepared for any document, with its problems', async () => {
    const store = await open();
    const id = await store.newPage();
    const unknown = `sec_${'9'.repeat(26)}`;
    const readProblems = async (document: unknown) => {
      const res = await canvas(store, id, { document });
      expect(res.status).toBe(200);
      renderDocument(document as never, res.body.sources, { canvas: true });
      return res.body.problems;
    };
    expect(await readProblems(createPage(sectionRef('s', unknown)))).toEqual([
      {
        pointer: '/document/nodes/1/props/specials/sectionId',
        code: 'invalid_document',
        message: 'is no section of this store',
      },
    ]);
    expect(
      await readProblems(createPage({ id: 'm', type: 'marquee' }, link('l', `pag_${'9'.repeat(26)}`))),
    ).toEqual([
      expect.objectContaining({ pointer: '/document/nodes/1/type', code: 'invalid_document' }),
      expect.objectContaining({ code: 'unknown_page' }),
    ]);
    for (const document of [
      null,
      5,
      [],
      {},
      { rootId: 'a', nodes: [null, { id: 'a', type: 'text', props: 5 }] },
    ]) {
      expect((await readProblems(document))[0]).toMatchObject({ code: 'invalid_document' });
    }
  });

  test('needs the right to read pages; 400 for an invalid locale, 404 for an unknown page', async () => {
    const store = await open();
    const id = await store.newPage();
    const document = createPage();
    expect((await store.asMember('viewer')('POST', `/pages/${id}/canvas`, { document })).status).toBe(200);
    for (const path of ['canvas', 'preview']) {
      const wrong = await store.edit('POST', `/pages/${id}/${path}`, { document, locale: 'no locale' });
      expect(wrong.body).toMatchObject({ code: 'invalid_body', details: [{ pointer: '/locale' }] });
      const other = await store.edit('POST', `/pages/pag_${'9'.repeat(26)}/${path}`, { document });
      expect(other.body.code).toBe('not_found');
    }
  });
});

test('a preview shows an unsaved document if it is valid', async () => {
  const store = await open();
  const id = await store.newPage();
  await store.save(id, createPage(text('t', 'saved')));
  const preview = (document?: unknown) =>
    store.edit('POST', `/pages/${id}/preview`, document === undefined ? undefined : { document });
  expect((await preview()).text).toContain('saved');
  expect((await preview(createPage(text('t', 'not saved')))).text).toContain('not saved');
  expect((await store.edit('GET', `/pages/${id}/draft`)).body.document).toEqual(
    createPage(text('t', 'saved')),
  );
  for (const document of [null, createPage(sectionRef('s', `sec_${'9'.repeat(26)}`))]) {
    expect((await preview(document)).body.code).toBe('invalid_document');
  }
});

test('a page’s name, title and description are translated, apart from the texts of its document', async () => {
  const store = await open();
  const nodes = async () =>
    (await store.api('GET', '/api/v1/translations/progress?locale=de')).body.progress.byEntityType.node;
  const settings = { title: 'Title', description: ' ', lang: 'en' };
  const id = (await store.api('POST', '/api/v1/pages', { name: 'Name', settings })).body.page.id;
  await store.api('PATCH', `/api/v1/pages/${id}`, { settings: { ...settings, description: 'Words' } });
  await store.save(id, createPage());
  await store.publish(id);
  const entries = Object.entries({ title: 'Titel', description: 'Worte' }).map(([field, value]) => ({
    locale: 'de',
    entityType: 'node',
    entityId: id,
    field,
    value,
  }));
  await store.api('PUT', '/api/v1/translations', { entries });
  expect(await nodes()).toEqual({ translated: 0, total: 0 });
  const visit = async (path: string) =>
    (await fetch(`${system.internalUrl}/s/${getSlug(store.storeId)}${path}`)).text();
  expect(await visit('/')).toMatch(/<title>Title<.*content="Words"/s);
  expect(await visit('/de/')).toMatch(/<title>Titel<.*content="Worte"/s);
  await store.api('PATCH', `/api/v1/pages/${id}`, { settings: {} });
  await store.api('PUT', '/api/v1/translations', {
    entries: [{ ...entries[0], field: 'name', value: 'Name auf Deutsch' }],
  });
  expect(await visit('/de/')).toContain('<title>Name auf Deutsch – ');
});

test('the block catalogue has the blocks of all available apps', async () => {
  const store = await open();
  const list = (as = store.edit) => as('GET', '/blocks');
  expect((await list()).body).toEqual({ blocks: [], total: 0 });
  neighbours.apps.set(store.storeId, [reviews]);
  const [block] = reviews.blocks;
  const expected = {
    blocks: [
      { appId, appName: 'Stars', versionId: 'ver_1', versionNumber: 1, icon: null, ...(block as object) },
    ],
    total: 1,
  };
  expect((await list()).body).toEqual(expected);
  // The app platform learns which manifests are known, and leaves them out.
  neighbours.leavesOutKnown = true;
  expect((await list(store.asMember('viewer'))).body).toEqual(expected);
  neighbours.leavesOutKnown = false;
  expect(neighbours.leftOut).toBe(1);
  neighbours.down.add('app-platform');
  expect((await list()).status).toBe(503);
});
