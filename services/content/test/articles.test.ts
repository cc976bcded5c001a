import type { AssetFacts } from '@waybill/contracts';
import {
  createStubService,
  openTestDatabase,
  startSystem,
  type TestSystem,
  waitUntilBlocked,
} from '@waybill/testing';
import fc from 'fast-check';
import { dropArticleMedia } from '../src/blog/articles/queries.ts';
import { content } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';
import { newStore } from './store.ts';

const knownAsset = 'mda_00000000000000000000000001';
let mediaAnswers = true;

/** Stand-in for media with the routes that articles need. */
const media = createStubService('media', {
  'POST /internal/assets/lookup'({ body }: { body: { ids: string[] } }) {
    if (!mediaAnswers) throw new Error('media is away');
    const plain = { alt: '', focalPoint: null };
    const facts = { kind: 'image', contentType: 'image/png', width: 1, height: 1, ...plain } as const;
    const assets: AssetFacts[] = body.ids.includes(knownAsset) ? [{ id: knownAsset, ...facts }] : [];
    return { assets };
  },
});

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, media], { PUBLIC_BASE_URL: 'https://shop.example/' });
});
afterAll(() => system.stop());

const path = '/api/v1/articles';

async function newBlog() {
  const store = await newStore(system);
  const create = async (body: object) => {
    const res = await store.api('POST', path, body);
    expect(res.status).toBe(201);
    return res.body.article;
  };
  return {
    ...store,
    create,
    get: (rest = '') => store.api('GET', `${path}${rest}`),
    post: (body: unknown) => store.api('POST', path, body),
    put: (id: string, body: unknown) => store.api('PUT', `${path}/${id}`, body),
    delete: (id: string) => store.api('DELETE', `${path}/${id}`),
    titles: async (query: string) =>
      (await store.api('GET', `${path}?${query}`)).body.articles.map((a: { title: string }) => a.title),
    category: async (slug: string) =>
      (await store.api('POST', '/api/v1/blog-categories', { name: slug, slug })).body.blogCategory.id,
  };
}

describe('POST /articles', () => {
  test('returns the whole article with its defaults', async () => {
    const blog = await newBlog();
    const article = await blog.create({ title: 'Über Tee', id: 'art_mine', publishedAt: 'x', unknown: 1 });
    expect(article).toEqual({
      id: expect.stringMatching(/^art_[0-9a-z]{26}$/),
      title: 'Über Tee',
      slug: 'uber-tee',
      excerpt: '',
      content: '',
      bodyType: 'html',
      status: 'draft',
      categoryIds: [],
      hasDraft: false,
      hasChanges: false,
      coverMediaId: null,
      coverMedia: null,
      tags: [],
      customFields: {},
      publishedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: article.createdAt,
    });
    expect((await blog.get(`/${article.id}`)).body).toEqual({ article });
    expect((await blog.get()).body).toEqual({ articles: [article], total: 1, nextCursor: null });
  });

  test('a taken slug gets a number, derived or given; a slug without letters becomes the id’s suffix', async () => {
    const blog = await newBlog();
    const slugs = [];
    for (const body of [{ title: 'Tea' }, { title: 'Tea' }, { title: 'x', slug: 'tea' }]) {
      slugs.push((await blog.create(body)).slug);
    }
    expect(slugs).toEqual(['tea', 'tea-2', 'tea-3']);
    const bare = await blog.create({ title: '☃' });
    expect(bare.slug).toBe(bare.id.slice(4));
    expect((await (await newBlog()).create({ title: 'Tea' })).slug).toBe('tea');
  });

  test('twenty equal titles at once get twenty slugs', async () => {
    const blog = await newBlog();
    const all = await Promise.all(Array.from({ length: 20 }, () => blog.create({ title: 'Rush' })));
    expect(new Set(all.map(({ slug }) => slug)).size).toBe(20);
    expect((await blog.get('?limit=1')).body.total).toBe(20);
  });

  test('a write reports what was removed from the content, and its ETag is that of the stored article', async () => {
    const blog = await newBlog();
    const content = '<iframe src="//evil.example"></iframe><section>a</section>';
    const warnings = [{ code: 'embed_removed', message: expect.any(String), count: 1 }];
    const created = await blog.post({ title: 'x', content });
    expect(created).toMatchObject({ status: 201, body: { article: { content: '<p>a</p>' }, warnings } });
    const read = await blog.get(`/${created.body.article.id}`);
    expect(read.body).not.toHaveProperty('warnings');
    expect(created.headers.etag).toBe(read.headers.etag);
    expect((await blog.put(created.body.article.id, { title: 'x', content })).body.warnings).toEqual(
      warnings,
    );
  });

  test('content is stored without scripts, an excerpt as it was sent', async () => {
    const article = await (await newBlog()).create({
      title: '<b>x</b>',
      excerpt: '<script>1</script> & so on',
      content: '<p onclick="a()">hi<script>alert(1)</script></p>',
    });
    expect(article).toMatchObject({
      title: '<b>x</b>',
      excerpt: '<script>1</script> & so on',
      content: '<p>hi</p>',
    });
  });

  test('unknown and repeated categories are dropped, and the others keep their order', async () => {
    const blog = await newBlog();
    const [a, b] = [await blog.category('a'), await blog.category('b')];
    const foreign = await (await newBlog()).category('c');
    const article = await blog.create({
      title: 'x',
      categoryIds: [b, 'nonsense', a, foreign, b, '', '__proto__'],
    });
    expect(article.categoryIds).toEqual([b, a]);
  });

  test('a known cover has its URL, an unknown one is dropped', async () => {
    const blog = await newBlog();
    const article = await blog.create({ title: 'x', coverMediaId: knownAsset });
    expect(article).toMatchObject({
      coverMediaId: knownAsset,
      coverMedia: { id: knownAsset, url: `https://shop.example/media/${blog.storeId}/${knownAsset}` },
    });
    for (const coverMediaId of ['mda_00000000000000000000000002', 'nonsense', '', null]) {
      expect(await blog.create({ title: 'x', coverMediaId })).toMatchObject({
        coverMediaId: null,
        coverMedia: null,
      });
    }
  });

  test('503 while media is unreachable, and nothing is stored; articles without a cover are still saved', async () => {
    const blog = await newBlog();
    mediaAnswers = false;
    const res = await blog.post({ title: 'x', coverMediaId: knownAsset });
    const bare = await blog.post({ title: 'y' });
    mediaAnswers = true;
    expect(res).toMatchObject({ status: 503, body: { code: 'resource_unavailable' } });
    expect(bare.status).toBe(201);
    expect(await blog.titles('')).toEqual(['y']);
  });

  test('a cover that is purged while the article is changed does not come back', async () => {
    const blog = await newBlog();
    const { id } = await blog.create({ title: 'Tea', coverMediaId: knownAsset });
    const url = system.databaseUrl('content');
    const db = await openTestDatabase<Tables>(url);
    let changed: ReturnType<typeof blog.edit> | undefined;
    await db.transaction().execute(async (trx) => {
      await dropArticleMedia(trx, blog.storeId, { assetIds: [knownAsset], fieldIds: [] });
      changed = blog.edit('PATCH', `/articles/${id}`, { title: 'Green tea' });
      await waitUntilBlocked(url);
    });
    await db.destroy();
    expect((await changed!).body.article).toMatchObject({ title: 'Green tea', coverMediaId: null });
  });

  test.each([
    [{}, 'invalid_body'],
    [{ title: '' }, 'invalid_body'],
    [{ title: 'x'.repeat(201) }, 'invalid_body'],
    [{ title: 'x', status: 'gone' }, 'invalid_status'],
    [{ title: 'x', status: null }, 'invalid_status'],
    [{ title: 'x', slug: 'Not A Slug' }, 'invalid_slug'],
    [{ title: 'x', slug: '' }, 'invalid_slug'],
    [{ title: 'x', slug: null }, 'invalid_slug'],
    [{ title: 'x', bodyType: 'markdown' }, 'invalid_body'],
    [{ title: 'x', content: null }, 'invalid_body'],
    [{ title: 'x', excerpt: 'x'.repeat(1001) }, 'invalid_body'],
    [{ title: 'x', categoryIds: [5] }, 'invalid_body'],
    [{ title: 'x', coverMediaId: 5 }, 'invalid_body'],
    [{ title: 'x', tags: [''] }, 'invalid_body'],
    [{ title: 'x\0' }, 'invalid_body'],
  ])('400 for %j: %s', async (body, code) => {
    expect(await (await newBlog()).post(body)).toMatchObject({ status: 400, body: { code } });
  });

  test('409 unsupported_body_type for a builder document', async () => {
    expect(await (await newBlog()).post({ title: 'x', bodyType: 'page' })).toMatchObject({
      status: 409,
      body: { code: 'unsupported_body_type' },
    });
  });

  test('any JSON body is a 201 or a documented 400 or 409, and what is stored can be read', async () => {
    const blog = await newBlog();
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constant('__proto__'));
    const body = fc.record(
      {
        title: fc.oneof(value, fc.string({ unit: 'grapheme' })),
        excerpt: fc.oneof(value, fc.string({ unit: 'grapheme' })),
        tags: value,
        slug: value,
        content: value,
        categoryIds: value,
        coverMediaId: value,
        status: value,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(body, async (input) => {
        const res = await blog.post(input);
        expect([201, 400, 409]).toContain(res.status);
        if (res.status !== 201) return void expect(res.body.code).toMatch(/^invalid_/);
        expect(res.body.article.title).toBe(input.title);
        expect(res.body.article.excerpt).toBe(input.excerpt ?? '');
        expect((await blog.get(`/${res.body.article.id}`)).body).toEqual(res.body);
      }),
      { numRuns: 150 },
    );
  });
});

describe('PUT /articles/{id}', () => {
  test('sets omitted fields to their defaults, but keeps the slug', async () => {
    const blog = await newBlog();
    const category = await blog.category('a');
    const before = await blog.create({
      title: 'Tea',
      slug: 'my-tea',
      status: 'published',
      tags: ['a'],
      excerpt: 'e',
      content: '<p>c</p>',
      categoryIds: [category],
      coverMediaId: knownAsset,
    });
    const { article } = (await blog.put(before.id, { title: 'Tea 2' })).body;
    expect(article).toMatchObject({
      title: 'Tea 2',
      slug: 'my-tea',
      status: 'draft',
      tags: [],
      excerpt: '',
      content: '',
      categoryIds: [],
      coverMediaId: null,
      publishedAt: null,
      createdAt: before.createdAt,
    });
    expect(article.updatedAt >= before.updatedAt).toBe(true);
    expect((await blog.get(`?categoryId=${category}`)).body).toEqual({
      articles: [],
      total: 0,
      nextCursor: null,
    });
    expect((await blog.get('?status=published')).body.total).toBe(0);
    expect((await blog.get('?status=draft')).body.total).toBe(1);
  });

  test('an article that is read and written back does not change', async () => {
    const blog = await newBlog();
    const categoryIds = [await blog.category('a'), await blog.category('b')];
    const article = await blog.create({
      title: 'Tea',
      status: 'published',
      content: '<p>a &amp; b</p>',
      categoryIds,
      coverMediaId: knownAsset,
    });
    expect((await blog.put(article.id, article)).body).toEqual({ article });
  });

  test('publishedAt is the first publication, kept by later edits, not shown by a draft', async () => {
    const blog = await newBlog();
    const { id } = await blog.create({ title: 'a' });
    const put = async (body: object) =>
      (await blog.put(id, { title: 'a', ...body })).body.article.publishedAt;
    const first = await put({ status: 'published' });
    expect(first).toMatch(/Z$/);
    expect(await put({ status: 'published', content: 'x' })).toBe(first);
    expect(await put({ status: 'draft' })).toBeNull();
    expect(await put({ status: 'published' })).toBe(first);
  });

  test('a slug of another article gets a number, its own slug stays', async () => {
    const blog = await newBlog();
    await blog.create({ title: 'A', slug: 'tea' });
    const { id } = await blog.create({ title: 'B', slug: 'tea' });
    expect((await blog.put(id, { title: 'B', slug: 'tea' })).body.article.slug).toBe('tea-2');
    expect((await blog.put(id, { title: 'B', slug: 'tea-2' })).body.article.slug).toBe('tea-2');
    expect((await blog.put(id, { title: 'B', slug: 'milk' })).body.article.slug).toBe('milk');
  });

  test('404 for another store, an unknown id, no id at all', async () => {
    const { id } = await (await newBlog()).create({ title: 'x' });
    const other = await newBlog();
    for (const wrong of [id, 'art_00000000000000000000000000', 'nonsense', '%00', '%zz', '..%2f..']) {
      expect(await other.put(wrong, { title: 'y' })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
      expect((await other.get(`/${wrong}`)).status).toBe(404);
      expect((await other.delete(wrong)).status).toBe(404);
    }
  });
});

describe('DELETE /articles/{id}', () => {
  test('removes it from every list; its slug is free again', async () => {
    const blog = await newBlog();
    const category = await blog.category('a');
    const { id } = await blog.create({ title: 'Tea', categoryIds: [category], status: 'published' });
    expect((await blog.delete(id)).status).toBe(204);
    expect((await blog.get(`/${id}`)).status).toBe(404);
    expect((await blog.delete(id)).status).toBe(404);
    for (const query of ['', `?categoryId=${category}`, '?status=published', '?q=tea']) {
      expect((await blog.get(query)).body).toEqual({ articles: [], total: 0, nextCursor: null });
    }
    expect((await blog.create({ title: 'Tea' })).slug).toBe('tea');
  });
});

describe('GET /articles', () => {
  let blog: Awaited<ReturnType<typeof newBlog>>;
  let fruit: string;
  beforeAll(async () => {
    blog = await newBlog();
    fruit = await blog.category('fruit');
    for (const [title, status, tag, categoryIds] of [
      ['banana', 'published', 'yellow', [fruit]],
      ['Apple', 'draft', 'Round', [fruit]],
      ['Äther 100%', 'published', 'a_b', []],
      ['cherry', 'published', 'Red round', [fruit]],
    ] as const) {
      await blog.create({ title, status, tags: [tag], categoryIds });
    }
    const { id } = (await blog.get('?q=banana')).body.articles[0];
    await blog.put(id, { title: 'banana', status: 'published', tags: ['Yellow'], categoryIds: [fruit] });
  });

  test.each([
    ['', ['cherry', 'Äther 100%', 'Apple', 'banana']],
    ['dir=asc', ['banana', 'Apple', 'Äther 100%', 'cherry']],
    ['sort=title&dir=asc', ['Apple', 'Äther 100%', 'banana', 'cherry']],
    ['sort=title', ['cherry', 'banana', 'Äther 100%', 'Apple']],
    ['sort=updated', ['banana', 'cherry', 'Äther 100%', 'Apple']],
    ['sort=published', ['cherry', 'Äther 100%', 'banana', 'Apple']],
    ['sort=published&dir=asc', ['banana', 'Äther 100%', 'cherry', 'Apple']],
    ['sort=nonsense&dir=up', ['cherry', 'Äther 100%', 'Apple', 'banana']],
    ['status=published', ['cherry', 'Äther 100%', 'banana']],
    ['status=published&sort=published&limit=1', ['cherry']],
    ['status=nonsense', ['cherry', 'Äther 100%', 'Apple', 'banana']],
    ['limit=2&offset=1', ['Äther 100%', 'Apple']],
    ['offset=10', []],
    ['q=ROUND', ['cherry', 'Apple']],
    ['q=round%20red', ['cherry']],
    ['q=%C3%84THER', ['Äther 100%']],
    ['q=ather-100', ['Äther 100%']],
    ['q=%25', ['Äther 100%']],
    ['q=_', ['Äther 100%']],
    ['q=%5C', []],
    ['q=%00', []],
    ['q=%20', ['cherry', 'Äther 100%', 'Apple', 'banana']],
    ['q=a%20b%20c%20d%20e%20f%20zz', []],
    ['q=round&status=published', ['cherry']],
    ['categoryId=', ['cherry', 'Äther 100%', 'Apple', 'banana']],
    ['categoryId=bct_00000000000000000000000000', []],
  ])('?%s', async (query, titles) => {
    expect(await blog.titles(query)).toEqual(titles);
  });

  test('filters by category, search and status, in every order', async () => {
    const of = (query: string) => blog.titles(`categoryId=${fruit}&${query}`);
    expect(await of('')).toEqual(['cherry', 'Apple', 'banana']);
    expect(await of('sort=title&dir=asc')).toEqual(['Apple', 'banana', 'cherry']);
    expect(await of('sort=published')).toEqual(['cherry', 'banana', 'Apple']);
    expect(await of('status=draft')).toEqual(['Apple']);
    expect(await of('q=round')).toEqual(['cherry', 'Apple']);
  });

  test('total counts before paging, with and without filters', async () => {
    const total = async (query: string) => (await blog.get(`?limit=1&${query}`)).body.total;
    expect(await total('')).toBe(4);
    expect(await total('status=published')).toBe(3);
    expect(await total('q=round')).toBe(2);
    expect(await total(`categoryId=${fruit}`)).toBe(3);
    expect(await total(`categoryId=${fruit}&status=published`)).toBe(2);
    expect(await total(`categoryId=${fruit}&q=banana`)).toBe(1);
    expect((await (await newBlog()).get()).body).toEqual({ articles: [], total: 0, nextCursor: null });
  });

  test('pages of equal keys do not overlap', async () => {
    const equal = await newBlog();
    for (let i = 0; i < 9; i++) await equal.create({ title: 'Same', status: i % 2 ? 'draft' : 'published' });
    for (const sort of ['title', 'published', 'created', 'updated']) {
      for (const dir of ['asc', 'desc']) {
        const ids = [];
        for (let offset = 0; offset < 9; offset += 2) {
          const { body } = await equal.get(`?sort=${sort}&dir=${dir}&limit=2&offset=${offset}`);
          ids.push(...body.articles.map(({ id }: { id: string }) => id));
        }
        expect(new Set(ids).size).toBe(9);
      }
    }
  });
});

test('a list of long articles is complete and in order', async () => {
  const blog = await newBlog();
  const content = `<p>${'é'.repeat(499_000)}</p>`;
  const titles = Array.from({ length: 11 }, (_, i) => `No. ${i}`);
  for (const title of titles) await blog.create({ title, content, status: 'published' });
  for (const query of ['dir=asc', 'dir=asc&limit=200', 'dir=asc&sort=published', 'dir=asc&q=no']) {
    const list = await blog.get(`?${query}`);
    expect(list.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(list.body.total).toBe(11);
    expect(list.body.articles.map((article: { title: string }) => article.title)).toEqual(titles);
    for (const article of list.body.articles) expect(article.content === content).toBe(true);
  }
});

describe('PUT /api/stores/{storeId}/articles/{articleId}/document', () => {
  const document = {
    rootId: 'r',
    nodes: [
      { id: 'r', type: 'section', children: ['h'] },
      { id: 'h', type: 'heading', props: { specials: { text: 'Hello' } } },
    ],
  };

  test('makes the body a builder document, which the public API can read and delete but not write', async () => {
    const blog = await newBlog();
    const category = await blog.category('a');
    const body = { title: 'x', content: '<p>x</p>', status: 'published', categoryIds: [category] };
    const article = await blog.create(body);
    const saved = await blog.edit('PUT', `/articles/${article.id}/document`, { document });
    expect(saved).toMatchObject({ status: 200, body: { document } });
    const { warnings, ...draft } = saved.body;
    expect(warnings).toEqual([]);
    expect(draft.draft).toMatchObject({ revision: 1, savedBy: 'usr_1' });
    expect((await blog.edit('GET', `/articles/${article.id}/document`)).body).toEqual(draft);
    const read = (await blog.get(`/${article.id}`)).body.article;
    expect(read).toEqual({
      ...article,
      bodyType: 'page',
      content: '',
      hasDraft: true,
      hasChanges: true,
      updatedAt: read.updatedAt,
    });
    expect((await blog.get(`?categoryId=${category}&status=published`)).body).toEqual({
      articles: [read],
      total: 1,
      nextCursor: null,
    });
    for (const refused of [{ title: 'y' }, { content: '<p>y</p>' }]) {
      expect(await blog.put(article.id, refused)).toMatchObject({
        status: 409,
        body: { code: 'unsupported_body_type' },
      });
    }
    expect((await blog.get(`/${article.id}`)).body.article).toEqual(read);
    await blog.edit('PUT', `/articles/${article.id}/document`, { document });
    expect((await blog.get(`/${article.id}`)).body.article).toEqual(read);
    expect((await blog.delete(article.id)).status).toBe(204);
    expect((await blog.edit('GET', `/articles/${article.id}/document`)).status).toBe(404);
  });

  test('counts the document’s texts in the progress of translations instead of the content', async () => {
    const blog = await newBlog();
    const { id } = await blog.create({ title: 'x', content: '<p>x</p>' });
    await blog.edit('PUT', `/articles/${id}/document`, { document });
    const { progress } = (await blog.api('GET', '/api/v1/translations/progress?locale=de')).body;
    expect(progress.byEntityType).toMatchObject({ article: { total: 1 }, node: { total: 1 } });
    await blog.delete(id);
    expect((await blog.api('GET', '/api/v1/translations/progress?locale=de')).body.progress.total).toBe(0);
  });

  test('400 invalid_document with pointers, and the article stays as it was', async () => {
    const blog = await newBlog();
    const article = await blog.create({ title: 'x', content: '<p>x</p>' });
    const sectionRef = { id: 'r', type: 'sectionRef', props: { specials: { sectionId: 'sec_unknown' } } };
    for (const wrong of [
      undefined,
      null,
      {},
      { rootId: 'x', nodes: [] },
      { rootId: 'r', nodes: [sectionRef] },
    ]) {
      const res = await blog.edit('PUT', `/articles/${article.id}/document`, { document: wrong });
      expect(res).toMatchObject({ status: 400, body: { details: expect.any(Array) } });
    }
    expect((await blog.get(`/${article.id}`)).body.article).toEqual(article);
  });

  test('needs a role that writes the blog; 404 without an article or a document', async () => {
    const blog = await newBlog();
    const { id } = await blog.create({ title: 'x' });
    const path = `/articles/${id}/document`;
    expect((await blog.asMember('viewer')('PUT', path, { document })).body.code).toBe('insufficient_role');
    expect((await blog.asMember('viewer')('GET', path)).status).toBe(404);
    const other = await newBlog();
    expect((await other.edit('PUT', path, { document })).status).toBe(404);
    expect((await other.edit('GET', path)).status).toBe(404);
  });
});

test('reading needs blog.read, writing blog.write', async () => {
  const { withScopes } = await newBlog();
  const reader = withScopes(['blog.read']);
  expect((await reader('GET', path)).status).toBe(200);
  expect(await reader('POST', path, { title: 'x' })).toMatchObject({
    status: 403,
    body: { code: 'insufficient_scope' },
  });
  expect((await withScopes(['blog.write'])('GET', path)).status).toBe(403);
});
