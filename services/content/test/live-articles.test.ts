import { readFile } from 'node:fs/promises';
import { InstallChanged, type Product, ProductUpdated } from '@waybill/contracts';
import { ownOriginHeader } from '@waybill/kernel';
import {
  countStatements,
  eventually,
  findDangers,
  hasChromium,
  isOnCitus,
  launchChromium,
  runSql,
  startSystem,
  type TestSystem,
} from '@waybill/testing';
import request from 'supertest';
import { content } from '../src/index.ts';
import { blockRef, createPage, link, product, sectionRef, text } from './documents.ts';
import { xssVectors } from './hostile-content.ts';
import { createNeighbours, getSlug, makeProduct } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services], { PUBLIC_BASE_URL: 'https://shop.example' });
});
afterEach(() => neighbours.down.clear());
afterAll(() => system.stop());

/** Creates a store whose blog can be visited. */
async function newBlog() {
  const store = await newStore(system);
  const slug = getSlug(store.storeId);
  neighbours.stores.set(store.storeId, {
    id: store.storeId,
    name: 'Tea & Co',
    slug,
    currency: 'EUR',
    locales: null,
    isDevelopment: false,
  });
  const write = async (body: object) =>
    (await store.api('POST', '/api/v1/articles', { status: 'published', ...body })).body.article;
  const save = async (id: string, document: unknown) =>
    expect((await store.edit('PUT', `/articles/${id}/document`, { document })).status).toBe(200);
  const publish = (id: string) => store.api('POST', `/api/v1/articles/${id}/publish`);
  const visit = (path: string, headers: Record<string, string> = {}) =>
    request(system.internalUrl).get(`/s/${slug}${path}`).set(headers);
  return {
    ...store,
    slug,
    write,
    save,
    publish,
    visit,
    /** Creates a published article with a document as its body, at `/blog/x`. */
    async live(document: unknown) {
      const { id } = await write({ title: 'x', slug: 'x' });
      await save(id, document);
      expect((await publish(id)).status).toBe(200);
      return id as string;
    },
    async livePage(name: string, document: unknown) {
      const { id } = (await store.api('POST', '/api/v1/pages', { name })).body.page;
      await store.edit('PUT', `/pages/${id}/draft`, { document });
      expect((await store.api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200);
      return id as string;
    },
    section: async (says: string) => {
      const body = { name: 'Section', document: createPage(text('s', says)) };
      return (await store.edit('POST', '/sections', body)).body.section.id as string;
    },
    saveSection: (id: string, says: string) =>
      store.edit('PUT', `/sections/${id}`, { name: 'Section', document: createPage(text('s', says)) }),
    textOf: async (path: string) => (await visit(path)).text,
    shows: (path: string, what: string) =>
      eventually(async () => (await visit(path)).text.includes(what), { what: `${path} to show ${what}` }),
    translate: (entityType: string, entityId: string, values: Record<string, string>) =>
      store.api('PUT', '/api/v1/translations', {
        entries: Object.entries(values).map(([field, value]) => ({
          locale: 'de',
          entityType,
          entityId,
          field,
          value,
        })),
      }),
  };
}

const titlesIn = (html: string) =>
  [...html.matchAll(/<h2[^>]*><a href="[^"]*">([^<]*)<\/a>/g)].map(([, title]) => title);

describe('GET /s/{storeSlug}/blog/{articleSlug}', () => {
  test('shows a published article, but no draft', async () => {
    const blog = await newBlog();
    await blog.write({ title: 'A < B', excerpt: '"Short"', content: '<p>Hello <b>you</b></p>', slug: 'a' });
    await blog.write({ title: 'Draft', status: 'draft' });
    const res = await blog.visit('/blog/a');
    expect(res.status).toBe(200);
    expect(res.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src \S+\/assets\/;/),
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"/),
    });
    expect(res.text).toContain('<title>A &lt; B – Tea &amp; Co</title>');
    expect(res.text).toContain('<meta name="description" content="&quot;Short&quot;">');
    expect(res.text).toContain(`<link rel="canonical" href="https://shop.example/s/${blog.slug}/blog/a">`);
    expect(res.text).toContain('<h1 class="wb-heading wb-article-title">A &lt; B</h1>');
    expect(res.text).toContain('<p>Hello <b>you</b></p>');
    const unchanged = await blog.visit('/blog/a', { 'if-none-match': res.headers.etag! });
    expect(unchanged.status).toBe(304);
    for (const path of ['/blog/draft', '/blog/none', '/blog/Not%20a%20slug', '/blog/%00']) {
      expect((await blog.visit(path)).status).toBe(404);
    }
    expect((await blog.visit('/blog/none', { accept: 'text/html' })).type).toBe('text/html');
  });

  test('changes with the article at once, and is deleted with it', async () => {
    const blog = await newBlog();
    const { id } = await blog.write({ title: 'x', content: 'one' });
    const before = (await blog.visit('/blog/x')).headers.etag!;
    await blog.api('PUT', `/api/v1/articles/${id}`, { title: 'x', content: 'two', status: 'published' });
    const res = await blog.visit('/blog/x', { 'if-none-match': before });
    expect([res.status, res.text.includes('two')]).toEqual([200, true]);
    await blog.api('DELETE', `/api/v1/articles/${id}`);
    expect((await blog.visit('/blog/x')).status).toBe(404);
  });

  test('is the same at the store’s own origin, with shorter addresses', async () => {
    const blog = await newBlog();
    await blog.live(createPage(text('t', 'Hello')));
    const atHome = { [ownOriginHeader]: 'yes' };
    for (const path of ['/blog/x', '/blog/']) {
      const [inPlace, own] = [await blog.visit(path), await blog.visit(path, atHome)];
      expect([own.status, own.text, own.headers.etag]).toEqual([200, inPlace.text, inPlace.headers.etag]);
      const policy = own.headers['content-security-policy'];
      expect(inPlace.headers['content-security-policy']).toMatch(/; sandbox /);
      expect(policy).not.toContain('sandbox');
    }
    expect((await blog.visit('/blog?page=1', atHome)).headers.location).toBe('/blog/?page=1');
    expect((await blog.visit('/blog/x/', atHome)).headers.location).toBe('/blog/x');
  });

  test('is translated in a locale, with sanitised content', async () => {
    const blog = await newBlog();
    const { id } = await blog.write({ title: 'Tea', excerpt: 'Short', content: '<p>Hello</p>', slug: 'tea' });
    expect((await blog.visit('/de/blog/tea')).status).toBe(404);
    await blog.translate('article', id, {
      title: 'Tee',
      content: '<p onclick="x()">Hallo</p><script>x</script>',
    });
    const res = await blog.visit('/de/blog/tea');
    expect(res.status).toBe(200);
    expect(res.text).toContain('<html lang="de">');
    expect(res.text).toContain('<h1 class="wb-heading wb-article-title">Tee</h1>');
    expect(res.text).toContain('<p>Hallo</p>');
    expect(res.text).toContain('content="Short"');
    expect(res.text).not.toMatch(/<script>|onclick/);
    expect(res.text).toContain(`hreflang="en" href="https://shop.example/s/${blog.slug}/blog/tea"`);
    expect((await blog.visit('/DE/blog/tea')).headers.location).toBe(`/s/${blog.slug}/de/blog/tea`);
    expect((await blog.visit('/fr/blog/tea')).status).toBe(404);
    expect((await blog.visit('/blog/tea')).text).toContain(
      '<h1 class="wb-heading wb-article-title">Tea</h1>',
    );
  });
});

describe('POST /articles/{id}/publish', () => {
  const appId = `app_${'0'.repeat(26)}`;
  const install = (storeId: string, versionNumber: number, choice = 1) =>
    neighbours.apps.set(storeId, [
      {
        appId,
        appName: 'App',
        versionId: `ver_${versionNumber}`,
        versionNumber,
        choice,
        blocks: [{ key: 'badge', name: 'Badge', ...createPage(text('t', `build ${versionNumber}`)) }],
        islands: [],
        connectOrigins: [],
      },
    ]);
  const tellInstall = (storeId: string, isUpgrade: boolean) =>
    neighbours.tell(InstallChanged, storeId, { appId, isAvailable: true, isUpgrade });
  /** Sets a product in catalog; `tell` announces it. */
  const setProduct = (storeId: string, tea: Product) => neighbours.products.set(`${storeId}/${tea.id}`, tea);
  const tellProduct = async (storeId: string, tea: Product) => {
    setProduct(storeId, tea);
    await neighbours.tell(ProductUpdated, storeId, { product: tea });
  };

  test('shows the saved document, which visitors did not see before', async () => {
    const blog = await newBlog();
    const article = await blog.write({ title: 'x', content: '<p>Written</p>' });
    await blog.translate('article', article.id, { content: '<p>Geschrieben</p>' });
    await blog.save(article.id, createPage(text('t', 'First')));
    expect(await blog.textOf('/blog/x')).toContain('<p>Written</p>');
    expect(await blog.textOf('/de/blog/x')).toContain('<p>Geschrieben</p>');
    const res = await blog.publish(article.id);
    expect(res.status).toBe(200);
    expect(res.body.article).toEqual({
      ...article,
      bodyType: 'page',
      content: '',
      updatedAt: res.body.article.updatedAt,
    });
    expect(await blog.textOf('/blog/x')).toMatch(/>First<(?!.*Written)/s);
    const hasDraft = async () => {
      const one = (await blog.api('GET', `/api/v1/articles/${article.id}`)).body.article.hasDraft;
      const { articles } = (await blog.api('GET', '/api/v1/articles?fields=hasDraft')).body;
      expect(articles[0].hasDraft).toBe(one);
      return one;
    };
    expect([article.hasDraft, await hasDraft()]).toEqual([false, false]);
    await blog.save(article.id, createPage(text('t', 'Second')));
    expect(await hasDraft()).toBe(true);
    expect(await blog.textOf('/blog/x')).toContain('First');
    expect((await blog.publish(article.id)).status).toBe(200);
    expect(await blog.textOf('/blog/x')).toMatch(/>Second<(?!.*First)/s);
    await blog.translate('node', `${article.id}:t`, { text: 'Zweite' });
    expect(await blog.textOf('/de/blog/x')).toContain('Zweite');
  });

  test('a document that is as what is live has no changes, and can be published', async () => {
    const blog = await newBlog();
    const { id } = await blog.write({ title: 'x', content: '<p>Written</p>' });
    const state = async () => {
      const { hasDraft, hasChanges } = (await blog.api('GET', `/api/v1/articles/${id}`)).body.article;
      const { articles } = (await blog.edit('GET', '/articles?fields=hasDraft,hasChanges')).body;
      expect(articles).toEqual([{ id, hasDraft, hasChanges }]);
      return [hasDraft, hasChanges];
    };
    const [first, second] = [createPage(text('t', 'First')), createPage(text('t', 'Second'))];
    await blog.save(id, first);
    expect(await state()).toEqual([true, true]);
    expect((await blog.publish(id)).body.article).toMatchObject({ hasDraft: false, hasChanges: false });
    await blog.save(id, second);
    expect(await state()).toEqual([true, true]);
    await blog.save(id, first);
    expect(await state()).toEqual([true, false]);
    // A copy of the version before saves without comparing.
    const saved = `document = '${JSON.stringify(second)}', revision = revision + 1`;
    await runSql(system, 'content', `update article_document set ${saved} where article_id = '${id}'`);
    expect(await state()).toEqual([true, true]);
    await blog.save(id, first);
    expect((await blog.publish(id)).status).toBe(200);
    expect(await state()).toEqual([false, false]);
  });

  test('publishes a draft; its publication is the first one', async () => {
    const blog = await newBlog();
    const { id } = await blog.write({ title: 'x', status: 'draft', content: '<p>Written</p>' });
    await blog.save(id, createPage(text('t', 'First')));
    expect((await blog.visit('/blog/x')).status).toBe(404);
    const { article } = (await blog.publish(id)).body;
    expect(article).toMatchObject({ status: 'published', publishedAt: expect.stringMatching(/Z$/) });
    expect(await blog.textOf('/blog/x')).toContain('First');
    expect((await blog.api('GET', '/api/v1/articles?status=published')).body).toEqual({
      articles: [article],
      total: 1,
      nextCursor: null,
    });
    await blog.save(id, createPage(text('t', 'Second')));
    expect((await blog.publish(id)).body.article.publishedAt).toBe(article.publishedAt);
  });

  test('409 nothing_to_publish if nothing was saved since, or if the body is not a document', async () => {
    const blog = await newBlog();
    const { id } = await blog.write({ title: 'x' });
    expect(await blog.publish(id)).toMatchObject({ status: 409, body: { code: 'nothing_to_publish' } });
    await blog.save(id, createPage());
    const all = await Promise.all(Array.from({ length: 6 }, () => blog.publish(id)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    await blog.save(id, createPage());
    expect((await blog.publish(id)).body.code).toBe('nothing_to_publish');
  });

  test('needs blog.write; 404 for an unknown article and another store, 503 while catalog is away', async () => {
    const blog = await newBlog();
    const { id } = await blog.write({ title: 'x' });
    await blog.save(id, createPage(product('p', makeProduct('Tea', 1).id)));
    const path = `/api/v1/articles/${id}/publish`;
    expect((await blog.withScopes(['blog.read', 'pages.write'])('POST', path)).status).toBe(403);
    expect((await (await newBlog()).publish(id)).status).toBe(404);
    expect((await blog.publish(`art_${'0'.repeat(26)}`)).status).toBe(404);
    neighbours.down.add('catalog');
    expect((await blog.publish(id)).body.code).toBe('resource_unavailable');
    neighbours.down.clear();
    expect((await blog.publish(id)).status).toBe(200);
  });

  test('publishes its sections as they are saved, in the article and on pages, and not earlier', async () => {
    const blog = await newBlog();
    const section = await blog.section('Footer one');
    const id = await blog.live(createPage(sectionRef('r', section)));
    await blog.livePage('Home', createPage(sectionRef('r', section)));
    await blog.saveSection(section, 'Footer two');
    // Rendered again for another reason, it keeps the live state of the section.
    await blog.translate('article', id, { title: 'X' });
    expect(await blog.textOf('/blog/x')).toContain('Footer one');
    expect(await blog.textOf('/de/blog/x')).toContain('Footer one');
    await blog.save(id, createPage(sectionRef('r', section), text('t', 'More')));
    expect(await blog.textOf('/blog/x')).toContain('Footer one');
    await blog.publish(id);
    expect(await blog.textOf('/blog/x')).toMatch(/Footer two.*More/s);
    await blog.shows('/', 'Footer two');
    await blog.saveSection(section, 'Footer three');
    await blog.livePage('About', createPage(sectionRef('r', section)));
    await blog.shows('/blog/x', 'Footer three');
  });

  test('keeps the builds of blocks until the next publish, or until the merchant chooses a version', async () => {
    const blog = await newBlog();
    const { storeId } = blog;
    install(storeId, 1);
    const tea = makeProduct('Assam', 950);
    setProduct(storeId, tea);
    const id = await blog.live(createPage(blockRef('b', appId, 'badge'), product('p', tea.id)));
    install(storeId, 2);
    await tellInstall(storeId, true);
    await tellProduct(storeId, { ...tea, name: 'Darjeeling' });
    await blog.shows('/blog/x', 'Darjeeling');
    expect(await blog.textOf('/blog/x')).toContain('build 1');
    await blog.livePage('Home', createPage());
    await blog.shows('/blog/x', 'build 2');
    install(storeId, 1, 2);
    await tellInstall(storeId, false);
    await blog.shows('/blog/x', 'build 1');
    const reply = await request(system.internalUrl)
      .post('/internal/block-uses')
      .set('authorization', `Bearer ${system.serviceToken}`)
      .send({ storeId, appId });
    expect(reply.body).toMatchObject({ uses: [{ blockKey: 'badge', pages: [{ id, name: 'x' }] }] });
    neighbours.apps.set(storeId, []);
    await tellInstall(storeId, false);
    await eventually(async () => !(await blog.textOf('/blog/x')).includes('build'));
  });

  test('follows changes of products, and calls no other service on a visit', async () => {
    const blog = await newBlog();
    const { storeId } = blog;
    const tea = makeProduct('Assam', 950);
    setProduct(storeId, tea);
    await blog.live(createPage(product('p', tea.id)));
    await blog.translate('product', tea.id, { name: 'Assam-Tee' });
    neighbours.requestCounts.clear();
    neighbours.down.add('catalog').add('media').add('app-platform');
    expect(await blog.textOf('/blog/x')).toMatch(/Assam.*9\.50/s);
    expect(await blog.textOf('/de/blog/x')).toContain('Assam-Tee');
    expect([...neighbours.requestCounts]).toEqual([]);
    for (const path of ['/blog/x', '/de/blog/x']) {
      const counts: number[] = [];
      // Background tasks add statements now and then, so the minimum counts.
      for (let i = 0; i < 6; i++) counts.push(await countStatements(() => blog.visit(path)));
      // On a cluster the slug's store is looked up first.
      expect(Math.min(...counts)).toBe(isOnCitus ? 2 : 1);
    }
    neighbours.down.clear();
    await tellProduct(storeId, { ...tea, status: 'archived' });
    await eventually(async () => !/Assam|9\.50|data-wb-product/.test(await blog.textOf('/blog/x')));
  });

  test('links from an article follow the slugs of pages', async () => {
    const blog = await newBlog();
    await blog.livePage('Home', createPage());
    const about = await blog.livePage('About', createPage());
    await blog.live(createPage(link('l', about)));
    expect(await blog.textOf('/blog/x')).toContain('href="../about"');
    await blog.api('PATCH', `/api/v1/pages/${about}`, { slug: 'us' });
    await blog.shows('/blog/x', 'href="../us"');
    await blog.api('DELETE', `/api/v1/pages/${about}`);
    await eventually(async () => !(await blog.textOf('/blog/x')).includes('href="../us"'));
  });

  test('works during saves, deletions and publishes of pages', async () => {
    const blog = await newBlog();
    const section = await blog.section('Footer');
    const document = (says: string) => createPage(sectionRef('r', section), text('t', says));
    const articles: string[] = [];
    for (let i = 0; i < 6; i++) articles.push((await blog.write({ title: `No ${i}` })).id);
    const { page } = (await blog.api('POST', '/api/v1/pages', { name: 'Home' })).body;
    const answers = await Promise.all(
      articles.flatMap((id, i) => [
        ...[1, 2].map((n) => blog.edit('PUT', `/articles/${id}/document`, { document: document(`${n}`) })),
        ...[1, 2, 3].map(() => blog.publish(id)),
        blog.saveSection(section, `Footer ${i}`),
        blog.edit('PUT', `/pages/${page.id}/draft`, { document: document(`${i}`) }),
        blog.api('POST', `/api/v1/pages/${page.id}/publish`),
        ...(i % 2 ? [blog.api('DELETE', `/api/v1/articles/${id}`)] : []),
      ]),
    );
    expect(answers.filter(({ status }) => ![200, 204, 404, 409, 503].includes(status))).toEqual([]);
    await blog.save(articles[0]!, document('Last'));
    expect((await blog.publish(articles[0]!)).status).toBe(200);
    expect(await blog.textOf('/blog/no-0')).toContain('Last');
    expect((await blog.visit('/blog/no-1')).status).toBe(404);
  });

  test('leaves nothing behind when the article is deleted, so that its section can be deleted', async () => {
    const blog = await newBlog();
    const section = await blog.section('Footer');
    const id = await blog.live(createPage(sectionRef('r', section)));
    const remove = () => blog.edit('DELETE', `/sections/${section}`);
    await blog.save(id, createPage());
    expect(await remove()).toMatchObject({ status: 409, body: { details: [{ message: `${id} holds it` }] } });
    expect((await blog.api('DELETE', `/api/v1/articles/${id}`)).status).toBe(204);
    expect((await blog.visit('/blog/x')).status).toBe(404);
    expect((await remove()).status).toBe(204);
  });
});

describe('PATCH /api/stores/{storeId}/articles/{id}', () => {
  test('changes everything except the body, also of a builder article, and visitors see it at once', async () => {
    const blog = await newBlog();
    const id = await blog.live(createPage(text('t', 'Body')));
    const change = { title: 'New', slug: 'y', excerpt: 'Short', tags: ['a'], content: 'ignored' };
    const res = await blog.edit('PATCH', `/articles/${id}`, change);
    expect(res.status).toBe(200);
    expect(res.body.article).toMatchObject({
      ...change,
      content: '',
      bodyType: 'page',
      status: 'published',
      categoryIds: [],
      coverMediaId: null,
    });
    expect((await blog.api('GET', `/api/v1/articles/${id}`)).body).toEqual(res.body);
    expect(await blog.textOf('/blog/y')).toMatch(/<title>New –.*Body/s);
    expect(await blog.visit('/blog/x?q=1')).toMatchObject({
      status: 301,
      headers: { location: `/s/${blog.slug}/blog/y?q=1` },
    });
    expect((await blog.edit('PATCH', `/articles/${id}`, {})).body).toEqual(res.body);
    expect((await blog.edit('PATCH', `/articles/${id}`, { status: 'draft' })).status).toBe(200);
    expect((await blog.visit('/blog/y')).status).toBe(404);
    expect((await blog.visit('/blog/x')).status).toBe(404);
    await blog.edit('PATCH', `/articles/${id}`, { status: 'published' });
    expect(await blog.textOf('/blog/y')).toContain('Body');
    await blog.write({ title: 'Another', slug: 'x', content: '<p>Another</p>' });
    expect(await blog.textOf('/blog/x')).toContain('Another');
    const taken = await blog.edit('PATCH', `/articles/${id}`, { slug: 'x' });
    expect(taken.body.article.slug).toBe('x-2');
  });

  test('400 for an invalid change, 403 for a viewer, 404 for an unknown article', async () => {
    const blog = await newBlog();
    const { id } = await blog.write({ title: 'x' });
    const readEditCode = async (body: object) =>
      (await blog.edit('PATCH', `/articles/${id}`, body)).body.code;
    expect(await readEditCode({ status: 'gone' })).toBe('invalid_status');
    expect(await readEditCode({ slug: 'No slug' })).toBe('invalid_slug');
    expect(await readEditCode({ title: null })).toBe('invalid_body');
    expect((await blog.asMember('viewer')('PATCH', `/articles/${id}`, {})).body.code).toBe(
      'insufficient_role',
    );
    expect((await blog.edit('PATCH', `/articles/art_${'0'.repeat(26)}`, {})).body.code).toBe('not_found');
  });
});

describe('POST /api/stores/{storeId}/articles/{articleId}/convert', () => {
  const convert = (blog: Awaited<ReturnType<typeof newBlog>>, id: string) =>
    blog.edit('POST', `/articles/${id}/convert`, { bodyType: 'html' });

  test('turns the live document into content that can be edited', async () => {
    const blog = await newBlog();
    const sectionId = await blog.section('In a section');
    const id = await blog.live(createPage(text('t', 'Published'), sectionRef('s', sectionId)));
    await blog.save(id, createPage(text('t', 'Saved'), sectionRef('s', sectionId)));
    const res = await convert(blog, id);
    expect(res.status).toBe(200);
    const { article } = res.body;
    expect(article).toMatchObject({ bodyType: 'html', status: 'published' });
    expect(article.content).toMatch(/Published.*In a section/s);
    expect(article.content).not.toContain('Saved');
    expect(await blog.textOf('/blog/x')).toContain(article.content);
    expect((await blog.edit('GET', `/articles/${id}/document`)).body.code).toBe('not_found');
    expect((await blog.publish(id)).body.code).toBe('nothing_to_publish');
    expect((await blog.edit('DELETE', `/sections/${sectionId}`)).status).toBe(204);
    expect((await convert(blog, id)).body).toEqual(res.body);
    expect((await blog.api('PUT', `/api/v1/articles/${id}`, article)).body.article).toEqual(article);
    await blog.save(id, createPage(text('t', 'Again')));
    expect((await blog.edit('GET', `/articles/${id}/document`)).body.draft.revision).toBe(4);
    expect((await blog.publish(id)).status).toBe(200);
    expect(await blog.textOf('/blog/x')).toContain('Again');
  });

  test('reports what was removed', async () => {
    const blog = await newBlog();
    const send = { id: 'send', type: 'button', props: { specials: { text: 'Send' } } };
    const form = {
      id: 'contact',
      type: 'form',
      props: { specials: { name: 'contact', href: null } },
      children: [send],
    };
    const id = await blog.live(createPage(text('t', 'Published'), form as never));
    const { body } = await convert(blog, id);
    expect(body.article.content).toContain('Published');
    expect(body.warnings).toContainEqual(expect.objectContaining({ code: 'form_removed' }));
    expect((await convert(blog, id)).body).toEqual({ article: body.article });
  });

  test('turns the last saved document into content if none is live', async () => {
    const blog = await newBlog();
    const draft = await blog.write({ title: 'x', status: 'draft', content: '<p>Written</p>' });
    await blog.save(draft.id, createPage(text('t', 'Saved')));
    expect((await convert(blog, draft.id)).body.article).toMatchObject({
      status: 'draft',
      content: expect.stringMatching(/Saved(?!.*Written)/s),
    });
    const seen = await blog.write({ title: 'y', content: '<p>Written</p>' });
    await blog.save(seen.id, createPage(text('t', 'Saved')));
    expect((await convert(blog, seen.id)).body.article.content).toBe('<p>Written</p>');
    const res = await blog.edit('POST', `/articles/${seen.id}/convert`, { bodyType: 'page' });
    expect(res.body.code).toBe('invalid_body');
  });
});

test('an article that was published before articles had live pages gets one with its published content', async () => {
  const blog = await newBlog();
  const section = await blog.section('Footer');
  const id = await blog.live(createPage(sectionRef('r', section), text('t', 'Before')));
  const migration = new URL('../migrations/0022_carry_over_articles.online.sql', import.meta.url);
  const ofThisStore = `where store_id = '${blog.storeId}'`;
  await runSql(
    system,
    'content',
    `delete from live_page ${ofThisStore};
     update section set live_document = null, live_revision = null ${ofThisStore};
     ${await readFile(migration, 'utf8')}`,
  );
  await blog.saveSection(section, 'Nobody published this');
  expect(await blog.textOf('/blog/x')).toContain('>x</h1>');
  await system.restart();
  await blog.shows('/blog/x', 'Before');
  expect(await blog.textOf('/blog/x')).toContain('Footer');
  expect((await blog.publish(id)).body.code).toBe('nothing_to_publish');
});

describe('GET /s/{storeSlug}/blog/', () => {
  test('lists published articles, newest first, twenty a page', async () => {
    const blog = await newBlog();
    for (let i = 1; i <= 21; i++) await blog.write({ title: `No ${i}`, excerpt: `About ${i}` });
    await blog.write({ title: 'Draft', status: 'draft' });
    const first = await blog.visit('/blog/');
    expect(titlesIn(first.text)).toEqual(Array.from({ length: 20 }, (_, i) => `No ${21 - i}`));
    expect(first.text).toContain('About 21');
    expect(first.text).toContain('href="?page=2"');
    const second = await blog.visit('/blog/?page=2');
    expect(titlesIn(second.text)).toEqual(['No 1']);
    expect(second.text).toContain('href="?page=1"');
    expect((await blog.visit('/blog/?page=3')).status).toBe(404);
    for (const page of ['0', '-1', 'x', '1.5', '1']) {
      expect((await blog.visit(`/blog/?page=${page}`)).text).toBe(first.text);
    }
  });

  test('is translated in a locale, and its links keep the locale', async () => {
    const blog = await newBlog();
    const { id } = await blog.write({ title: 'Tea', slug: 'tea' });
    await blog.translate('article', id, { title: 'Tee' });
    const res = await blog.visit('/de/blog/');
    expect(titlesIn(res.text)).toEqual(['Tee']);
    expect(res.text).toContain('href="../blog/tea"');
  });

  test('is an empty list without articles, and 404 for an unknown store', async () => {
    const blog = await newBlog();
    expect(titlesIn((await blog.visit('/blog/')).text)).toEqual([]);
    expect((await request(system.internalUrl).get('/s/no-such-store/blog/')).status).toBe(404);
    expect((await request(system.internalUrl).get('/s/no-such-store/blog/x')).status).toBe(404);
  });

  test('has one address, which a live page with the slug blog takes over', async () => {
    const blog = await newBlog();
    expect((await blog.visit('/blog?page=1')).headers.location).toBe(`/s/${blog.slug}/blog/?page=1`);
    const { page } = (await blog.api('POST', '/api/v1/pages', { name: 'Ours', slug: 'blog' })).body;
    const document = { rootId: 'r', nodes: [{ id: 'r', type: 'section', children: [] }] };
    await blog.edit('PUT', `/pages/${page.id}/draft`, { document });
    await blog.api('PATCH', `/api/v1/pages/${page.id}`, { isHomepage: false });
    await blog.api('POST', '/api/v1/pages', { name: 'Home', isHomepage: true });
    await blog.api('POST', `/api/v1/pages/${page.id}/publish`);
    expect((await blog.visit('/blog')).text).toContain('<title>Ours');
  });
});

(hasChromium('live articles in a browser') ? test : test.skip)(
  'in Chromium no vector that was published as an article runs',
  async () => {
    const blog = await newBlog();
    const sample = xssVectors.filter((vector) => !vector.includes('\0')).slice(0, 60);
    const paths = [];
    for (const [i, content] of sample.entries()) {
      await blog.write({
        title: content.slice(0, 200),
        excerpt: content.slice(0, 1000),
        content,
        slug: `v${i}`,
      });
      paths.push(`/s/${blog.slug}/blog/v${i}`);
    }
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const alerts: string[] = [];
      page.on('dialog', async (dialog) => {
        alerts.push(dialog.message());
        await dialog.dismiss();
      });
      await page.route(/^(?!http:\/\/127\.0\.0\.1)/, (route) => route.abort());
      for (const path of [...paths, `/s/${blog.slug}/blog/`]) {
        const response = await page.goto(system.internalUrl + path);
        expect([path, response!.status()]).toEqual([path, 200]);
        const body = await page.evaluate<string>('document.querySelector("main").innerHTML');
        expect([path, findDangers(body)]).toEqual([path, []]);
      }
      expect(alerts).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);
