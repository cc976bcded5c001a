import { startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { content } from '../src/index.ts';
import { createDocument, createPage, heading, type Node, sectionRef, text } from './documents.ts';
import { createNeighbours, getSlug } from './neighbours.ts';
import { newStore } from './store.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...createNeighbours().services]);
});
afterAll(() => system.stop());

type Store = Awaited<ReturnType<typeof newStore>>;
const open = () => newStore(system);

async function newPage(store: Store): Promise<string> {
  return (await store.api('POST', '/api/v1/pages', { name: 'Page' })).body.page.id;
}
async function newSection(store: Store, document: unknown = createPage(text('t', 'Footer'))) {
  const res = await store.edit('POST', '/sections', { name: 'Footer', document });
  expect(res.status).toBe(201);
  return res.body.section;
}
const draftPath = (id: string) => `/pages/${id}/draft`;

describe('drafts', () => {
  test('a page without a draft has an empty document that can be saved as it is', async () => {
    const store = await open();
    const id = await newPage(store);
    const empty = await store.edit('GET', draftPath(id));
    expect(empty).toMatchObject({ status: 200, body: { document: { rootId: 'root' } } });
    expect((await store.api('GET', `/api/v1/pages/${id}`)).body.page.hasDraft).toBe(false);
    expect(empty.body.draft).toEqual({ revision: 0, savedAt: null, savedBy: null });
    const saved = await store.edit('PUT', draftPath(id), empty.body);
    expect(saved.body).toMatchObject({ document: empty.body.document, draft: { revision: 1 }, warnings: [] });
    expect((await store.api('GET', `/api/v1/pages/${id}`)).body.page.hasDraft).toBe(true);
  });

  test('a draft is read as it was saved, its texts in NFC', async () => {
    const store = await open();
    const id = await newPage(store);
    const document = createPage(heading('h', 'Cafe\u0301'), text('t', 'a\r\nb'));
    const saved = await store.edit('PUT', draftPath(id), { document });
    expect(saved.status).toBe(200);
    expect(saved.body.document).toEqual(createPage(heading('h', 'Café'), text('t', 'a\nb')));
    const { warnings, ...read } = saved.body;
    expect(warnings).toEqual([]);
    expect(read.draft).toEqual({
      revision: 1,
      savedAt: expect.stringMatching(/Z$/),
      savedBy: 'usr_1',
    });
    expect((await store.edit('GET', draftPath(id))).body).toEqual(read);
  });

  test('a save that changes nothing leaves updatedAt as it is', async () => {
    const store = await open();
    const id = await newPage(store);
    const updatedAt = async () => (await store.api('GET', `/api/v1/pages/${id}`)).body.page.updatedAt;
    const before = await updatedAt();
    await store.edit('PUT', draftPath(id), { document: createPage(text('t', 'a')) });
    const saved = await updatedAt();
    expect(saved > before).toBe(true);
    await store.edit('PUT', draftPath(id), { document: createPage(text('t', 'a')) });
    expect(await updatedAt()).toBe(saved);
    await store.edit('PUT', draftPath(id), { document: createPage(text('t', 'b')) });
    expect((await updatedAt()) > saved).toBe(true);
  });

  test.each([
    ['null', null, ''],
    ['no nodes', { rootId: 'a', nodes: [] }, ''],
    ['an unknown type', createDocument({ id: 'a', type: 'marquee' }), '/nodes/0/type'],
    [
      'a node that is not reached',
      {
        rootId: 'a',
        nodes: [
          { id: 'a', type: 'section' },
          { id: 'b', type: 'text' },
        ],
      },
      '/nodes/1',
    ],
    [
      'a wrong special',
      createDocument({ id: 'a', type: 'heading', props: { specials: { level: 9 } } }),
      '/nodes/0/props/specials/level',
    ],
    [
      'a script for a URL',
      createDocument({ id: 'a', type: 'button', props: { specials: { href: 'javascript:alert(1)' } } }),
      '/nodes/0/props/specials/href',
    ],
    [
      'ids that are one when they are stored',
      createPage(text('caf\u00e9', 'a'), text('cafe\u0301', 'b')),
      '/nodes/2/id',
    ],
    [
      'an unknown section',
      createPage(sectionRef('s', `sec_${'0'.repeat(26)}`)),
      '/nodes/1/props/specials/sectionId',
    ],
  ])('400 invalid_document for %s', async (_what, document, pointer) => {
    const store = await open();
    const id = await newPage(store);
    const res = await store.edit('PUT', draftPath(id), { document });
    expect(res).toMatchObject({ status: 400, body: { code: 'invalid_document' } });
    expect(res.body.details.map((detail: { pointer: string }) => detail.pointer)).toContainEqual(
      expect.stringMatching(new RegExp(`^/document${pointer}`)),
    );
    expect((await store.api('GET', `/api/v1/pages/${id}`)).body.page.hasDraft).toBe(false);
  });

  test('400 invalid_document for null in place of children or props', async () => {
    const store = await open();
    const id = await newPage(store);
    const document = { rootId: 'a', nodes: [{ id: 'a', type: 'section', children: null, props: null }] };
    expect(await store.edit('PUT', draftPath(id), { document })).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_document',
        details: [{ pointer: '/document/nodes/0/children' }, { pointer: '/document/nodes/0/props' }],
      },
    });
  });

  test('a missing document is invalid_body, more than 1 MiB body_too_large', async () => {
    const store = await open();
    const id = await newPage(store);
    expect((await store.edit('PUT', draftPath(id), {})).body.code).toBe('invalid_body');
    const large = { document: 'x'.repeat(1024 * 1024) };
    expect(await store.edit('PUT', draftPath(id), large)).toMatchObject({
      status: 413,
      body: { code: 'body_too_large' },
    });
  });

  test("404 for an unknown page and another store's", async () => {
    const foreign = await newPage(await open());
    const store = await open();
    for (const id of [foreign, `pag_${'0'.repeat(26)}`, 'x']) {
      expect((await store.edit('GET', draftPath(id))).status).toBe(404);
      const res = await store.edit('PUT', draftPath(id), { document: createPage() });
      expect(res).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  test('403 insufficient_role for a viewer who saves', async () => {
    const store = await open();
    const id = await newPage(store);
    const view = store.asMember('viewer');
    expect((await view('GET', draftPath(id))).status).toBe(200);
    expect(await view('PUT', draftPath(id), { document: createPage() })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    });
  });
});

describe('sections', () => {
  test('are created, listed, read, replaced and deleted', async () => {
    const store = await open();
    const section = await newSection(store);
    expect(section).toEqual({
      id: expect.stringMatching(/^sec_[0-9a-z]{26}$/),
      name: 'Footer',
      document: createPage(text('t', 'Footer')),
      revision: 1,
      savedAt: section.createdAt,
      savedBy: 'usr_1',
      createdAt: expect.any(String),
      updatedAt: section.createdAt,
    });
    const second = await newSection(store);
    const path = `/sections/${section.id}`;
    expect((await store.edit('GET', '/sections')).body).toEqual({
      sections: [section, second],
      total: 2,
      nextCursor: null,
    });
    expect((await store.edit('GET', path)).body).toEqual({ section });
    const same = await store.edit('PUT', path, { name: 'Footer', document: section.document });
    expect(same.body.section).toEqual(section);
    const changed = await store.edit('PUT', path, { name: 'Foot', document: createPage() });
    expect(changed.body.section).toMatchObject({ name: 'Foot', document: createPage() });
    expect(changed.body.section.updatedAt > section.updatedAt).toBe(true);
    expect((await store.edit('DELETE', path)).status).toBe(204);
    expect((await store.edit('GET', path)).status).toBe(404);
    expect((await store.edit('DELETE', path)).status).toBe(404);
  });

  test('are listed in parts where they are large, whole and in order', async () => {
    const store = await open();
    const texts = Array.from({ length: 45 }, (_, i) => text(`t${i}`, 'x'.repeat(20_000)));
    const sections = [];
    for (let i = 0; i < 6; i++) sections.push(await newSection(store, createPage(...texts)));
    const list = await store.edit('GET', '/sections');
    expect(list.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(list.body).toEqual({ sections, total: 6, nextCursor: null });
  });

  test('are put into a page up to 16 MiB of them, in an editor as at a publish', async () => {
    const store = await open();
    const texts = Array.from({ length: 48 }, (_, i) => text(`t${i}`, 'x'.repeat(20_000)));
    const references: Node[] = [];
    for (let i = 0; i < 20; i++) {
      const { id } = await newSection(store, createPage(heading('h', `Section ${i}`), ...texts));
      references.push(sectionRef(`s${i}`, id));
    }
    const document = createPage(...references);
    const id = await newPage(store);
    expect((await store.edit('PUT', draftPath(id), { document })).status).toBe(200);
    const { sources } = (await store.edit('POST', `/pages/${id}/canvas`, { document })).body;
    expect(JSON.stringify(sources.sections).length).toBeLessThan(16 * 1024 * 1024);
    expect(Object.keys(sources.sections)).toHaveLength(17);
    const preview = await store.edit('POST', `/pages/${id}/preview`);
    expect((await store.api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200);
    const live = await request(system.internalUrl).get(`/s/${getSlug(store.storeId)}/`);
    expect(live.text === preview.text).toBe(true);
    expect(live.text.split('Section ').length - 1).toBe(9);
  });

  test('hold each other, but never themselves', async () => {
    const store = await open();
    const inner = await newSection(store);
    const outer = await newSection(store, createPage(sectionRef('s', inner.id)));
    const outermost = await newSection(store, createPage(sectionRef('s', outer.id)));
    for (const held of [inner, outer, outermost]) {
      const res = await store.edit('PUT', `/sections/${inner.id}`, {
        name: 'x',
        document: createPage(sectionRef('s', held.id)),
      });
      expect(res).toMatchObject({
        status: 400,
        body: {
          code: 'invalid_document',
          details: [{ pointer: '/document/nodes/1/props/specials/sectionId' }],
        },
      });
    }
  });

  test('two saves at once that would hold each other: one is refused', async () => {
    const store = await open();
    for (let i = 0; i < 5; i++) {
      const [a, b] = [await newSection(store), await newSection(store)];
      const hold = (holder: { id: string }, held: { id: string }) =>
        store.edit('PUT', `/sections/${holder.id}`, {
          name: 'x',
          document: createPage(sectionRef('s', held.id)),
        });
      const statuses = (await Promise.all([hold(a, b), hold(b, a)])).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, 400]);
    }
  });

  test("another store's section is unknown", async () => {
    const foreign = await newSection(await open());
    const store = await open();
    const id = await newPage(store);
    const document = createPage(sectionRef('s', foreign.id));
    expect((await store.edit('PUT', draftPath(id), { document })).body.code).toBe('invalid_document');
    expect((await store.edit('GET', `/sections/${foreign.id}`)).status).toBe(404);
  });

  test('409 invalid_state while a draft or a section holds the one to delete', async () => {
    const store = await open();
    const section = await newSection(store);
    const holder = await newSection(store, createPage(sectionRef('s', section.id)));
    const id = await newPage(store);
    await store.edit('PUT', draftPath(id), { document: createPage(sectionRef('s', section.id)) });
    const path = `/sections/${section.id}`;
    const refused = await store.edit('DELETE', path);
    expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect(refused.body.details).toHaveLength(2);
    await store.edit('PUT', draftPath(id), { document: createPage() });
    expect((await store.edit('DELETE', path)).status).toBe(409);
    expect((await store.edit('DELETE', `/sections/${holder.id}`)).status).toBe(204);
    expect((await store.edit('DELETE', path)).status).toBe(204);
  });

  test('a deleted page lets go of the section in its draft', async () => {
    const store = await open();
    const section = await newSection(store);
    const id = await newPage(store);
    await store.edit('PUT', draftPath(id), { document: createPage(sectionRef('s', section.id)) });
    expect((await store.api('DELETE', `/api/v1/pages/${id}`)).status).toBe(204);
    expect((await store.edit('DELETE', `/sections/${section.id}`)).status).toBe(204);
  });
});

describe('texts of saved documents', () => {
  test('are what there is to translate of nodes', async () => {
    const store = await open();
    const id = await newPage(store);
    const total = async () => {
      const res = await store.api('GET', '/api/v1/translations/progress?locale=de');
      return res.body.progress.byEntityType.node?.total ?? 0;
    };
    const button = { id: 'b', type: 'button' };
    await store.edit('PUT', draftPath(id), {
      document: createPage(heading('h', 'Title'), text('t', 'Text'), text('empty', ' '), button),
    });
    expect(await total()).toBe(2);
    await newSection(store);
    expect(await total()).toBe(3);
    await store.edit('PUT', draftPath(id), { document: createPage(heading('h', 'Title')) });
    expect(await total()).toBe(2);
    await store.api('DELETE', `/api/v1/pages/${id}`);
    expect(await total()).toBe(1);
  });
});

describe('the vocabulary', () => {
  test('is served to members and to services alone', async () => {
    const store = await open();
    const res = await store.asMember('viewer')('GET', '/vocabulary');
    expect(res.body.vocabulary).toMatchObject({
      version: expect.any(String),
      elementTypes: { heading: expect.any(Object), sectionRef: expect.any(Object) },
      widgets: { text: expect.any(Object) },
      writeKeys: { style: expect.any(Object), config: expect.any(Object), specials: expect.any(Object) },
    });
    const internal = `${system.internalUrl}/internal/vocabulary`;
    expect((await fetch(internal)).status).toBe(401);
    const served = await fetch(internal, { headers: { authorization: `Bearer ${system.serviceToken}` } });
    expect(await served.json()).toEqual(res.body);
  });
});
