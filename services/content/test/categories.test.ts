import { eventually, openTestDatabase, runSql, startSystem, type TestSystem } from '@waybill/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import { content } from '../src/index.ts';
import { listShownArticles } from '../src/publication/rendering/queries.ts';
import type { Tables } from '../src/tables.ts';
import { newStore } from './store.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content]);
});
afterAll(() => system.stop());

const path = '/api/v1/blog-categories';
interface Category {
  id: string;
  slug: string;
  parentId: string | null;
  position: number;
}

async function newBlog() {
  const { storeId, api, edit } = await newStore(system);
  const all = async (): Promise<Category[]> => (await api('GET', `${path}?limit=200`)).body.blogCategories;
  return {
    storeId,
    api,
    edit,
    all,
    create: async (slug: string, body: object = {}) => {
      const res = await api('POST', path, { name: slug, slug, ...body });
      expect(res.status).toBe(201);
      return res.body.blogCategory;
    },
    put: (id: string, body: object) => api('PUT', `${path}/${id}`, body),
    /** Returns the slugs of a parent's children in order, after checking that their positions have no gaps. */
    children: async (parentId: string | null = null) => {
      const children = (await all()).filter((category) => category.parentId === parentId);
      expect(children.map(({ position }) => position)).toEqual(children.map((_, i) => i));
      return children.map(({ slug }) => slug);
    },
  };
}

describe('POST /blog-categories', () => {
  test('returns the whole category; the first one is at the top, at position 0', async () => {
    const blog = await newBlog();
    const category = await blog.create('news', { id: 'bct_mine', createdAt: 1 });
    expect(category).toEqual({
      id: expect.stringMatching(/^bct_[0-9a-z]{26}$/),
      name: 'news',
      slug: 'news',
      parentId: null,
      position: 0,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: category.createdAt,
    });
    expect((await blog.api('GET', `${path}/${category.id}`)).body).toEqual({ blogCategory: category });
    expect((await blog.api('GET', path)).body).toEqual({
      blogCategories: [category],
      total: 1,
      nextCursor: null,
    });
  });

  test.each([
    [{ name: 'x' }, 400, 'invalid_slug'],
    [{ name: 'x', slug: '' }, 400, 'invalid_slug'],
    [{ name: 'x', slug: 'A b' }, 400, 'invalid_slug'],
    [{ name: 'x', slug: null }, 400, 'invalid_slug'],
    [{ name: 'x', slug: 7 }, 400, 'invalid_slug'],
    [{ name: 'x', slug: 'a'.repeat(121) }, 400, 'invalid_slug'],
    [{ slug: 'x' }, 400, 'invalid_body'],
    [{ name: '', slug: 'x' }, 400, 'invalid_body'],
    [{ name: 'x', slug: 'x', position: -1 }, 400, 'invalid_body'],
    [{ name: 'x', slug: 'x', position: 1.5 }, 400, 'invalid_body'],
    [{ name: 'x', slug: 'x', parentId: 5 }, 400, 'invalid_body'],
    [{ name: 'x', slug: 'x', parentId: 'nonsense' }, 404, 'not_found'],
    [{ name: 'x', slug: 'x', parentId: 'bct_00000000000000000000000000' }, 404, 'not_found'],
    [{ name: 'x', slug: 'taken' }, 409, 'duplicate_slug'],
  ])('%j: %i %s', async (body, status, code) => {
    const blog = await newBlog();
    await blog.create('taken');
    expect(await blog.api('POST', path, body)).toMatchObject({ status, body: { code } });
    expect(await blog.children()).toEqual(['taken']);
  });

  test('another store’s parent is not_found, its slug is free here', async () => {
    const foreign = await (await newBlog()).create('a');
    const blog = await newBlog();
    expect((await blog.api('POST', path, { name: 'x', slug: 'a', parentId: foreign.id })).status).toBe(404);
    await blog.create('a');
  });

  test('a position puts it between its siblings; past the end means the end', async () => {
    const blog = await newBlog();
    await blog.create('a');
    await blog.create('b', { position: 0 });
    await blog.create('c', { position: 1 });
    expect((await blog.create('d', { position: 1e300 })).position).toBe(3);
    expect(await blog.children()).toEqual(['b', 'c', 'a', 'd']);
  });
});

describe('PUT /blog-categories/{id}', () => {
  test('moves among its siblings, and stays where it is without a position', async () => {
    const blog = await newBlog();
    const [a, , c] = [await blog.create('a'), await blog.create('b'), await blog.create('c')];
    await blog.put(a.id, { name: 'a', slug: 'a', position: 9 });
    expect(await blog.children()).toEqual(['b', 'c', 'a']);
    await blog.put(c.id, { name: 'c', slug: 'c', position: 0 });
    expect(await blog.children()).toEqual(['c', 'b', 'a']);
    await blog.put(a.id, { name: 'A', slug: 'a2' });
    expect(await blog.children()).toEqual(['c', 'b', 'a2']);
  });

  test('moves under another parent and closes the gap; without a parent it goes to the top', async () => {
    const blog = await newBlog();
    const [a, b] = [await blog.create('a'), await blog.create('b')];
    await blog.create('c');
    await blog.create('b1', { parentId: b.id });
    await blog.put(a.id, { name: 'a', slug: 'a', parentId: b.id, position: 0 });
    expect(await blog.children()).toEqual(['b', 'c']);
    expect(await blog.children(b.id)).toEqual(['a', 'b1']);
    const res = await blog.put(a.id, { name: 'a', slug: 'a' });
    expect(res.body.blogCategory).toMatchObject({ parentId: null, position: 2 });
    expect(await blog.children(b.id)).toEqual(['b1']);
  });

  test('keeps updatedAt if nothing changes', async () => {
    const blog = await newBlog();
    const category = await blog.create('a');
    expect((await blog.put(category.id, category)).body).toEqual({ blogCategory: category });
  });

  test('cycle_detected under itself and under a descendant, and nothing moves', async () => {
    const blog = await newBlog();
    const a = await blog.create('a');
    const b = await blog.create('b', { parentId: a.id });
    const c = await blog.create('c', { parentId: b.id });
    for (const parentId of [a.id, b.id, c.id]) {
      expect(await blog.put(a.id, { name: 'a', slug: 'a', parentId })).toMatchObject({
        status: 409,
        body: { code: 'cycle_detected' },
      });
    }
    expect(await blog.all()).toEqual([a, b, c]);
  });

  test('of two simultaneous moves that would form a cycle, one is refused', async () => {
    for (let i = 0; i < 5; i++) {
      const blog = await newBlog();
      const [a, b] = [await blog.create('a'), await blog.create('b')];
      const results = await Promise.all([
        blog.put(a.id, { name: 'a', slug: 'a', parentId: b.id }),
        blog.put(b.id, { name: 'b', slug: 'b', parentId: a.id }),
      ]);
      expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  test('404 for an unknown category or parent, 409 for a taken slug', async () => {
    const blog = await newBlog();
    const [a] = [await blog.create('a'), await blog.create('b')];
    expect((await blog.put('bct_00000000000000000000000000', { name: 'x', slug: 'x' })).status).toBe(404);
    expect((await blog.put(a.id, { name: 'x', slug: 'x', parentId: 'bct_0' })).status).toBe(404);
    expect((await blog.put(a.id, { name: 'x', slug: 'b' })).body.code).toBe('duplicate_slug');
    expect((await blog.put(a.id, { name: 'x' })).body.code).toBe('invalid_slug');
  });
});

describe('DELETE /blog-categories/{id}', () => {
  test('moves its children up, and removes it from articles, whose updatedAt stays', async () => {
    const blog = await newBlog();
    const [, b] = [await blog.create('a'), await blog.create('b'), await blog.create('c')];
    const b1 = await blog.create('b1', { parentId: b.id });
    await blog.create('b2', { parentId: b.id });
    await blog.create('b11', { parentId: b1.id });
    const written = await blog.api('POST', '/api/v1/articles', { title: 'x', categoryIds: [b1.id, b.id] });
    expect((await blog.api('DELETE', `${path}/${b.id}`)).status).toBe(204);
    expect(await blog.children()).toEqual(['a', 'b1', 'b2', 'c']);
    expect(await blog.children(b1.id)).toEqual(['b11']);
    const { article } = written.body;
    expect((await blog.api('GET', `/api/v1/articles/${article.id}`)).body.article).toEqual({
      ...article,
      categoryIds: [b1.id],
    });
    expect((await blog.api('GET', `/api/v1/articles?categoryId=${b.id}`)).body.total).toBe(0);
    expect((await blog.api('GET', path)).body.total).toBe(5);
    expect((await blog.api('DELETE', `${path}/${b.id}`)).status).toBe(404);
  });

  test('does not wait for its articles, which show it no longer; their entries are deleted later', async () => {
    const blog = await newBlog();
    const { id } = await blog.create('teas');
    const { id: remaining } = await blog.create('cups');
    const ofBlog = `from article_listing where store_id = '${blog.storeId}' and scope = '${id}'`;
    await runSql(
      system,
      'content',
      `insert into article (store_id, id, title, slug, excerpt, content, body_type, status, tags, search, published_at,
         created_at, updated_at)
       select '${blog.storeId}', 'art_' || lpad(n::text, 26, '0'), 'Tea', 'tea-' || n, '', '', 'html', 'published', '{}', 'tea', now(), now(), now()
       from generate_series(1, 2500) n;
       insert into article_listing (store_id, article_id, scope, place, status, title_key, updated_at, published_at)
       select store_id, id, scope, 0, status, 'tea', updated_at, published_at
       from article, unnest(array['', '${id}', '${remaining}']) scope where store_id = '${blog.storeId}';
       insert into article_total (store_id, scope, published)
       select '${blog.storeId}', scope, 2500 from unnest(array['', '${id}', '${remaining}']) scope`,
    );
    const list = async (query: string) => (await blog.api('GET', `/api/v1/articles?${query}&limit=1`)).body;
    const db = await openTestDatabase<Tables>(system.databaseUrl('content'));
    const listed = async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::int ${sql.raw(ofBlog)}`.execute(db);
      return rows[0]!.count;
    };
    // The listing is being written, and nothing may wait for it.
    await db.transaction().execute(async (trx) => {
      await sql`select ${sql.raw(ofBlog)} limit 1 for update`.execute(trx);
      expect((await blog.api('DELETE', `${path}/${id}`)).status).toBe(204);
      for (const query of [
        `categoryId=${id}`,
        `categoryId=${id}&q=tea`,
        `categoryId=${id}&status=published`,
      ]) {
        expect([query, await list(query)]).toEqual([
          query,
          expect.objectContaining({ articles: [], total: 0 }),
        ]);
      }
      const shown = {
        type: 'articleList',
        categoryId: id,
        sort: 'created',
        dir: 'desc',
        limit: 1,
        paged: false,
      } as const;
      expect(await listShownArticles(trx, blog.storeId, shown, 0)).toEqual({ articles: [], total: 0 });
      const { articles, total } = await list(`categoryId=${remaining}`);
      expect([articles[0].categoryIds, total]).toEqual([[remaining], 2500]);
      const article = `/api/v1/articles/${articles[0].id}`;
      expect((await blog.api('GET', article)).body.article.categoryIds).toEqual([remaining]);
    });
    const changed = await blog.edit('PATCH', `/articles/art_${'1'.padStart(26, '0')}`, {
      title: 'Green tea',
    });
    expect(changed.body.article).toMatchObject({ title: 'Green tea', categoryIds: [remaining] });
    // The next deletion wakes the task, which then removes the locked listing.
    await blog.api('DELETE', `${path}/${(await blog.create('brief')).id}`);
    await eventually(async () => (await listed()) === 0);
    await eventually(async () => (await sql`select from gone_category`.execute(db)).rows.length === 0);
    await db.destroy();
    expect((await list(`categoryId=${remaining}`)).total).toBe(2500);
  });

  test('an article that is written meanwhile does not keep the deleted category', async () => {
    const blog = await newBlog();
    const categories = [];
    for (let i = 0; i < 10; i++) categories.push(await blog.create(`c${i}`));
    const ids = categories.map(({ id }) => id);
    await Promise.all([
      ...ids.map((id) => blog.api('DELETE', `${path}/${id}`)),
      ...ids.map(() => blog.api('POST', '/api/v1/articles', { title: 'x', categoryIds: ids })),
    ]);
    const { articles } = (await blog.api('GET', '/api/v1/articles')).body;
    expect(articles.map(({ categoryIds }: { categoryIds: string[] }) => categoryIds)).toEqual(
      ids.map(() => []),
    );
  });
});

test('after any creates, moves and deletes, positions have no gaps and there is no cycle', async () => {
  const step = fc.record({
    act: fc.constantFrom('create', 'move', 'move', 'delete'),
    which: fc.nat(),
    parent: fc.option(fc.nat()),
    position: fc.option(fc.nat(6), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const blog = await newBlog();
      for (const [i, { act, which, parent, position }] of steps.entries()) {
        const all = await blog.all();
        const target = all[which % (all.length || 1)];
        const parentId = parent === null ? null : (all[parent % (all.length || 1)]?.id ?? null);
        if (act === 'create' || !target) await blog.create(`c${i}`, { parentId, position });
        else if (act === 'delete') await blog.api('DELETE', `${path}/${target.id}`);
        else await blog.put(target.id, { name: 'x', slug: target.slug, parentId, position });
      }
      const all = await blog.all();
      const parents = new Map(all.map(({ id, parentId }) => [id, parentId]));
      for (const { id } of all) {
        await blog.children(id);
        let depth = 0;
        for (let up: string | null = id; up; up = parents.get(up)!) expect(depth++).toBeLessThan(all.length);
      }
      await blog.children(null);
    }),
    { numRuns: 15 },
  );
});
