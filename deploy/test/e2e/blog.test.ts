import { eventually } from '@waybill/testing';
import { expectStatus, join, newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { createCaller } from '../../testing/client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

describe.each(topologies)('$name', ({ share }) => {
  let system: SharedSystem;
  beforeAll(async () => {
    system = await share();
  });

  test("a store's blog is written, sorted into categories, translated and made of a document", async () => {
    const owner = await newPerson(system.baseUrl);
    const storeId = await newStore(owner, `Blog ${process.pid}`);
    const scopes = ['blog.read', 'blog.write', 'translations.read', 'translations.write', 'products.write'];
    const call = createCaller(system.baseUrl, (await newKey(owner, storeId, scopes)).secret);
    const send = async (status: number, ...request: Parameters<typeof call>) =>
      expectStatus(await call(...request), status).body;

    const news = { name: 'News', slug: 'news' };
    const { blogCategory } = await send(201, 'POST', '/api/v1/blog-categories', news);
    const child = { name: 'Tea', slug: 'tea', parentId: blogCategory.id };
    const { blogCategory: tea } = await send(201, 'POST', '/api/v1/blog-categories', child);
    const moved = await call('PUT', `/api/v1/blog-categories/${blogCategory.id}`, {
      ...news,
      parentId: tea.id,
    });
    expect(moved).toMatchObject({ status: 409, body: { code: 'cycle_detected' } });

    const { article } = await send(201, 'POST', '/api/v1/articles', {
      title: 'First flush',
      content: '<p onclick="x()">Picked <b>early</b></p><script>alert(1)</script>',
      status: 'published',
      categoryIds: [tea.id, 'bct_unknown'],
      coverMediaId: 'mda_00000000000000000000000000',
    });
    expect(article).toMatchObject({
      slug: 'first-flush',
      content: '<p>Picked <b>early</b></p>',
      categoryIds: [tea.id],
      coverMediaId: null,
    });
    expect(await send(200, 'GET', `/api/v1/articles?categoryId=${tea.id}`)).toEqual({
      articles: [article],
      total: 1,
      nextCursor: null,
    });

    const { product } = await send(201, 'POST', '/api/v1/products', { name: 'Assam' });
    const entries = [
      { locale: 'de', entityType: 'product', entityId: product.id, field: 'name', value: 'Assam-Tee' },
      { locale: 'DE', entityType: 'article', entityId: article.id, field: 'title', value: 'Erste Pflückung' },
    ];
    expect(await send(200, 'PUT', '/api/v1/translations', { entries })).toEqual({ written: 2 });
    const progress = await eventually(async () => {
      const body = await send(200, 'GET', '/api/v1/translations/progress?locale=de');
      return body.progress.byEntityType.product.total === 1 && body.progress;
    });
    expect(progress).toMatchObject({
      byEntityType: {
        product: { translated: 1, total: 1 },
        article: { translated: 1, total: 2 },
        blogCategory: { translated: 0, total: 2 },
      },
    });

    const { store } = expectStatus(await owner.call('GET', `/api/stores/${storeId}`), 200).body;
    const visitor = createCaller(system.baseUrl, undefined);
    const page = expectStatus(await visitor('GET', `/s/${store.slug}/de/blog/first-flush`), 200);
    expect(page.text).toContain('>Erste Pflückung</h1>');
    expect(page.text).toContain('<p>Picked <b>early</b></p>');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const list = expectStatus(await visitor('GET', `/s/${store.slug}/blog/`), 200);
    expect(list.text).toContain('<a href="../blog/first-flush">First flush</a>');

    const locales = ['en', 'FR', 'pt-br'];
    const chosen = await owner.call('PATCH', `/api/stores/${storeId}`, { locales });
    expect(expectStatus(chosen, 200).body.store.locales).toEqual(['en', 'fr', 'pt-BR']);
    const statusOf = async (locale: string) =>
      (await visitor('GET', `/s/${store.slug}/${locale}/blog/first-flush`)).status;
    await eventually(async () => (await statusOf('fr')) === 200);
    expect([await statusOf('pt-BR'), await statusOf('de')]).toEqual([200, 404]);

    const documentOf = (says: string) => ({
      rootId: 'r',
      nodes: [
        { id: 'r', type: 'section', children: ['h', 'p'] },
        { id: 'h', type: 'heading', props: { specials: { text: says } } },
        { id: 'p', type: 'product', children: ['t'], props: { specials: { productId: product.id } } },
        { id: 't', type: 'productTitle' },
      ],
    });
    const document = documentOf('Second flush');
    const documentPath = `/api/stores/${storeId}/articles/${article.id}/document`;
    const articleShows = async (...texts: string[]) => {
      const { text } = await visitor('GET', `/s/${store.slug}/blog/first-flush`);
      return texts.every((each) => text.includes(each));
    };
    expect(expectStatus(await owner.call('PUT', documentPath, { document }), 200).body).toMatchObject({
      document,
    });
    expect(await articleShows('<p>Picked <b>early</b></p>')).toBe(true);
    await send(200, 'PUT', `/api/v1/products/${product.id}`, { name: 'Assam', status: 'active' });
    const { article: published } = await send(200, 'POST', `/api/v1/articles/${article.id}/publish`);
    expect(published).toMatchObject({
      bodyType: 'page',
      status: 'published',
      publishedAt: article.publishedAt,
    });
    expect(await articleShows('Second flush', 'Assam')).toBe(true);

    const inPlace = expectStatus(await visitor('GET', `/s/${store.slug}/fr/blog/first-flush`), 200);
    const { port } = new URL(system.baseUrl);
    const headers = { host: `${store.slug}.localhost:${port}` };
    const atHome = await visitor('GET', '/fr/blog/first-flush', undefined, headers);
    expect([atHome.status, atHome.text]).toEqual([200, inPlace.text]);
    const origin = `http://${headers.host}`;
    expect(atHome.text).toContain(`<link rel="canonical" href="${origin}/fr/blog/first-flush">`);
    expect(atHome.text).toContain(`hreflang="pt-BR" href="${origin}/pt-BR/blog/first-flush"`);

    const again = await call('POST', `/api/v1/articles/${article.id}/publish`);
    expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_publish' } });
    const third = { document: documentOf('Third flush') };
    expectStatus(await owner.call('PUT', documentPath, third), 200);
    await send(200, 'PUT', `/api/v1/products/${product.id}`, { name: 'Darjeeling', status: 'active' });
    await eventually(() => articleShows('Second flush', 'Darjeeling'));
    const refused = await call('PUT', `/api/v1/articles/${article.id}`, { title: 'x' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'unsupported_body_type' } });
    const viewer = await newPerson(system.baseUrl);
    await join(owner, storeId, viewer, 'viewer');
    const denied = await viewer.call('PUT', documentPath, { document });
    expect(denied).toMatchObject({ status: 403, body: { code: 'insufficient_role' } });
    await send(204, 'DELETE', `/api/v1/articles/${article.id}`);
    expect((await send(200, 'GET', '/api/v1/articles')).total).toBe(0);
  });
});
