import { StoreChanged } from '@waybill/contracts';
import { renderDocument } from '@waybill/page';
import {
  eventually,
  openTestDatabase,
  startSystem,
  type TestSystem,
  waitUntilBlocked,
} from '@waybill/testing';
import { sql } from 'kysely';
import { content } from '../src/index.ts';
import { createPage, heading, link, product, sectionRef, text } from './documents.ts';
import { countVisitStatements, openLive } from './live-stores.ts';
import { createNeighbours, makeProduct } from './neighbours.ts';

const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services], {
    PUBLIC_BASE_URL: 'https://shop.example',
  });
});
afterAll(() => system.stop());

const open = () => openLive(system);

describe('in another locale', () => {
  const entry = (entityType: string, entityId: string, field: string, value: string, locale = 'de') => ({
    locale,
    entityType,
    entityId,
    field,
    value,
    source: 'human',
  });

  test('two pages are rendered at once for previews or visits; others wait, and cached pages are served', async () => {
    const store = await open();
    const { section } = (await store.edit('POST', '/sections', { name: 'S', document: createPage() })).body;
    const { id } = await store.live('Home', createPage(text('t', 'Tea')));
    await store.translate([entry('node', `${id}:t`, 'text', 'Tee')]);
    await store.visit('/');
    const url = system.databaseUrl('content');
    const db = await openTestDatabase(url);
    const document = createPage(sectionRef('r', section.id));
    const answered: string[] = [];
    const pending = await db.transaction().execute(async (trx) => {
      // A preview reads this table, a visit does not.
      await sql`lock table section in access exclusive mode`.execute(trx);
      const previews = Array.from({ length: 4 }, async () => {
        expect((await store.edit('POST', `/pages/${id}/preview`, { document })).status).toBe(200);
        answered.push('preview');
      });
      await waitUntilBlocked(url, 'section', 2);
      const visit = store.visit('/de/').then(({ status }) => answered.push(`visit ${status}`));
      for (let i = 0; i < 20; i++) expect((await store.visit('/')).status).toBe(200);
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%section%'`.execute(
        trx,
      );
      return { all: [...previews, visit], blocked: rows.length, answered: [...answered] };
    });
    await db.destroy();
    await Promise.all(pending.all);
    expect([pending.blocked, pending.answered]).toEqual([2, []]);
    expect(answered.toSorted()).toEqual([...Array(4).fill('preview'), 'visit 200']);
  });

  test('a page is rendered with at most 16 MiB of translations, those of its first nodes', async () => {
    const store = await open();
    const ids = Array.from({ length: 300 }, (_, i) => `t${i}`);
    const document = createPage(...ids.map((id) => text(id, 'Original')));
    const { id } = await store.live('Home', document);
    for (let i = 0; i < ids.length; i += 15) {
      await store.translate(
        ids.slice(i, i + 15).map((node) => entry('node', `${id}:${node}`, 'text', 'y'.repeat(65_000))),
      );
    }
    const { sources } = (await store.edit('POST', `/pages/${id}/canvas`, { document, locale: 'de' })).body;
    const first = ids.slice(0, Math.floor((16 * 1024 * 1024) / 65_000));
    expect(new Set(Object.keys(sources.texts))).toEqual(new Set(first));
    const { text: html, status } = await store.visit('/de/');
    expect(status).toBe(200);
    expect(html.includes(renderDocument(document, sources).html)).toBe(true);
  });

  test('a page shows the original where there is no translation', async () => {
    const store = await open();
    const tea = makeProduct('Tea', 900);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    const section = (
      await store.edit('POST', '/sections', { name: 'S', document: createPage(text('s', 'Section text')) })
    ).body.section.id;
    const home = await store.live(
      'Home',
      createPage(heading('h', 'Welcome'), text('t', 'Untranslated'), sectionRef('r', section)),
    );
    await store.live('Tea', createPage(product('p', tea.id), link('l', home.id)));
    expect((await store.visit('/de/')).status).toBe(404);
    const languages = async () => (await store.edit('GET', '/translations/languages')).body.languages;
    expect(await languages()).toEqual({ default: 'en', others: [] });
    await store.translate([
      entry('node', `${home.id}:h`, 'text', 'Willkommen <b>'),
      entry('node', 's', 'text', 'Abschnitt'),
      entry('product', tea.id, 'name', 'Tee'),
    ]);
    expect(await languages()).toEqual({ default: 'en', others: ['de'] });
    const { text: html } = await store.visit('/de/');
    expect(html).toContain('Willkommen &lt;b&gt;</h1>');
    expect(html).toContain('Untranslated');
    expect(html).toContain('Abschnitt');
    expect(html).toContain('<html lang="de">');
    const url = `https://shop.example/s/${store.slug}/`;
    expect(html).toContain(`<link rel="canonical" href="${url}de/">`);
    const original = await store.visit('/');
    expect(original.text).toContain('Welcome</h1>');
    for (const page of [html, original.text]) {
      expect(page).toContain(`<link rel="alternate" hreflang="en" href="${url}">`);
      expect(page).toContain(`<link rel="alternate" hreflang="de" href="${url}de/">`);
    }
    const other = (await store.visit('/de/tea')).text;
    expect(other).toContain('Tee');
    expect(other).toContain('href="./"');
  });

  test('the default menus list pages by their translated names', async () => {
    const store = await open();
    await store.live('Home', createPage(heading('h', 'Home')));
    const { id } = await store.live('About', createPage(heading('h', 'About')));
    await store.translate([entry('node', id, 'name', 'Über uns')]);
    expect((await store.visit('/')).text).toMatch(/>About<\/a>/);
    const german = (await store.visit('/de/')).text;
    expect(german).toMatch(/>Über uns<\/a>/);
    expect(german).not.toMatch(/>About<\/a>/);
  });

  test('a translation for the full id of a node wins over one for its bare id, and an empty one does not count', async () => {
    const store = await open();
    const here = await store.live('Here', createPage(heading('h', 'Original'), text('t', 'Kept')));
    await store.live('There', createPage(heading('h', 'Original')));
    await store.translate([
      entry('node', `${here.id}:h`, 'text', 'By full id'),
      entry('node', 'h', 'text', 'By bare id'),
      entry('node', 't', 'text', ''),
    ]);
    const inGerman = (await store.visit('/de/')).text;
    expect(inGerman).toContain('By full id</h1>');
    expect(inGerman).toContain('Kept');
    expect((await store.visit('/de/there')).text).toContain('By bare id</h1>');
  });

  test('a changed or deleted translation shows at once', async () => {
    const store = await open();
    const { id } = await store.live('Home', createPage(heading('h', 'Welcome'), text('t', 'Text')));
    const german = async () => (await store.visit('/de/')).text;
    await store.translate([entry('node', `${id}:h`, 'text', 'Eins'), entry('node', `${id}:t`, 'text', 'Da')]);
    expect(await german()).toContain('Eins');
    await store.translate([entry('node', `${id}:h`, 'text', 'Zwei')]);
    expect(await german()).toContain('Zwei');
    const query = `locale=de&entityType=node&entityId=${id}:h&field=text`;
    expect((await store.api('DELETE', `/api/v1/translations?${query}`)).status).toBe(204);
    expect(await german()).toContain('Welcome');
    await store.edit('PUT', `/pages/${id}/draft`, {
      document: createPage(text('t', 'Text'), text('n', 'New')),
    });
    await store.api('POST', `/api/v1/pages/${id}/publish`);
    expect(await german()).toContain('New');
    expect(await german()).toContain('Da');
  });

  test("the store's own locales decide what is live, and the first one is the page's language", async () => {
    const store = await open();
    const { id } = await store.live('Home', createPage(heading('h', 'Willkommen')));
    await store.live('About', createPage());
    await store.translate([
      entry('node', `${id}:h`, 'text', 'Welcome', 'en'),
      entry('node', `${id}:h`, 'text', 'Bienvenue', 'fr'),
    ]);
    let updates = 0;
    const choose = async (locales: string[] | null) => {
      const { storeId, slug } = store;
      const updatedAt = `2030-01-01T00:00:0${updates++}.000Z`;
      const facts = { id: storeId, name: 'Shop', slug, currency: 'EUR', locales, updatedAt };
      await neighbours.tell(StoreChanged, storeId, { store: facts });
    };
    const links = async () =>
      [...(await store.visit('/')).text.matchAll(/<link rel="alternate" hreflang="([^"]*)"/g)].map(
        ([, lang]) => lang,
      );
    await choose(['de', 'en', 'it']);
    await store.shows('/', '<html lang="de">');
    expect(await links()).toEqual(['de', 'en', 'it']);
    expect((await store.visit('/en/')).text).toContain('Welcome</h1>');
    expect((await store.visit('/it/')).text).toContain('Willkommen</h1>');
    expect((await store.visit('/it/about')).text).toContain('<html lang="it">');
    for (const path of ['/fr/', '/fr/about', '/fr/blog/'])
      expect([path, (await store.visit(path)).status]).toEqual([path, 404]);
    // The first language needs no locale in front, and an address with one leads to the one without.
    for (const [from, to] of [
      ['/de', '/'],
      ['/de/', '/'],
      ['/DE/about?a=1', '/about?a=1'],
      ['/de/blog/', '/blog/'],
      ['/de/products/none', '/products/none'],
      ['/de/cart', '/cart'],
    ]) {
      const { status, headers } = await store.visit(from!);
      expect([from, status, headers.location]).toEqual([from, 301, `/s/${store.slug}${to}`]);
    }
    // Neither can be a page, and a browser would take the first one's text for a host.
    for (const path of ['/de//evil.example', '/de/a%00b']) expect((await store.visit(path)).status).toBe(404);
    expect((await store.visit('/blog/')).text).toContain('<html lang="de">');
    await choose(['de']);
    await eventually(async () => (await store.visit('/en/')).status === 404);
    expect(await links()).toEqual([]);
    await choose(null);
    await store.shows('/fr/', 'Bienvenue');
    expect(await links()).toEqual(['en', 'fr']);
  });

  test('the assumed language of a store is listed once, even with translations into it', async () => {
    const store = await open();
    const { id } = await store.live('Home', createPage(heading('h', 'Colour')));
    await store.translate([
      entry('node', `${id}:h`, 'text', 'Farbe'),
      entry('node', `${id}:h`, 'text', 'Hue', 'en'),
      entry('node', `${id}:h`, 'text', 'Color', 'en-US'),
    ]);
    expect((await store.edit('GET', '/translations/languages')).body).toEqual({
      languages: { default: 'en', others: ['de', 'en-US'] },
    });
    expect((await store.visit('/en/')).status).toBe(301);
    expect((await store.visit('/')).text).toContain('Colour</h1>');
    expect((await store.visit('/en-US/')).text).toContain('Color</h1>');
    expect((await store.visit('/sitemap.xml')).text).not.toContain('/en/');
  });

  test('a store that has chosen no languages shows the first twenty that it has texts in', async () => {
    const store = await open();
    const { id } = await store.live('Home', createPage(heading('h', 'Welcome')));
    const tags = Array.from({ length: 100 }, (_, i) => `de-x-a${String(i).padStart(2, '0')}`);
    await store.translate(tags.map((tag) => entry('node', `${id}:h`, 'text', tag, tag)));
    const alternates = async () => (await store.visit('/')).text.split('rel="alternate"').length - 1;
    expect(await alternates()).toBe(21);
    expect((await store.visit(`/${tags[19]}/`)).text).toContain(`${tags[19]}</h1>`);
    expect((await store.visit(`/${tags[20]}/`)).status).toBe(404);
    const clear = (tag: string) =>
      store.api('DELETE', `/api/v1/translations?locale=${tag}&entityType=node&entityId=${id}:h&field=text`);
    expect((await clear(tags[0]!)).status).toBe(204);
    expect((await store.visit(`/${tags[0]}/`)).status).toBe(404);
    expect((await store.visit(`/${tags[20]}/`)).text).toContain(`${tags[20]}</h1>`);
    await store.translate([entry('node', `${id}:h`, 'text', '', tags[1])]);
    expect((await store.visit(`/${tags[1]}/`)).status).toBe(404);
    expect(await alternates()).toBe(21);
  });

  test('a translated visit needs no more queries than one in the original language', async () => {
    const store = await open();
    const { id } = await store.live('Home', createPage(heading('h', 'Welcome')));
    await store.live('About', createPage());
    const article = await store.api('POST', '/api/v1/articles', {
      title: 'Tea',
      slug: 'tea',
      content: '<p>Tea</p>',
      status: 'published',
    });
    await store.translate([
      entry('node', `${id}:h`, 'text', 'Willkommen'),
      entry('article', article.body.article.id, 'content', '<p>Tee</p>'),
    ]);
    for (const path of ['/', '/about', '/blog/', '/blog/tea']) {
      const original = await countVisitStatements(store, path);
      expect(original).toBeGreaterThan(0);
      // Fewer when the cached store is still valid from an earlier visit.
      expect(await countVisitStatements(store, `/de${path}`)).toBeLessThanOrEqual(original);
    }
  });

  test('a visit in a language without translations needs no more queries either', async () => {
    const store = await open();
    await store.live('Home', createPage(heading('h', 'Welcome')));
    const { storeId, slug } = store;
    const facts = { id: storeId, name: 'Shop', slug, currency: 'EUR', locales: ['en', 'it'] };
    await neighbours.tell(StoreChanged, storeId, {
      store: { ...facts, updatedAt: '2030-01-01T00:00:00.000Z' },
    });
    await store.shows('/it/', '<html lang="it">');
    for (const path of ['/', '/blog/', '/search?q=tea']) {
      const original = await countVisitStatements(store, path);
      expect(await countVisitStatements(store, `/it${path}`)).toBeLessThanOrEqual(original);
    }
  });

  test('a language tag has one spelling, and a slug that looks like one wins', async () => {
    const store = await open();
    const { id } = await store.live('Home', createPage(text('t', 'Text')));
    await store.live('About', createPage());
    await store.translate([entry('node', `${id}:t`, 'text', 'Servus', 'de-AT')]);
    expect((await store.visit('/de-AT/')).text).toContain('Servus');
    for (const [from, to] of [
      ['/de-at', '/de-AT/'],
      ['/de-AT', '/de-AT/'],
      ['/de-AT/home/', '/de-AT/'],
      ['/DE-at/about', '/de-AT/about'],
    ]) {
      const res = await store.visit(from!);
      expect([from, res.status, res.headers.location]).toEqual([from, 307, `/s/${store.slug}${to}`]);
    }
    await store.live('de-at', createPage(text('t', 'a page')));
    expect((await store.visit('/de-at')).text).toContain('a page');
    expect((await store.visit('/de-AT/')).text).toContain('Servus');
  });
});
