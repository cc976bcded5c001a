import { createHash } from 'node:crypto';
import { eventually, hasChromium, launchChromium } from '@waybill/testing';
import { expectStatus, newKey, newPerson, type Person } from '../../testing/accounts.ts';
import { createCaller, type Reply, send } from '../../testing/client.ts';
import { documentOf, Site } from './site.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const scopes = ['appdata.read'];
const blocksOf = (text: string, island?: string) => [
  {
    key: 'box',
    name: `The ${text}`,
    rootId: 'root',
    slots: [],
    traits: [],
    nodes: [{ id: 'root', type: 'text', props: { specials: { text } }, ...(island && { island }) }],
  },
];
const sha256 = (module: string) => createHash('sha256').update(module).digest('hex');
const codeOf = ({ status, body }: Reply) => [status, body?.code];
const hasBrowser = hasChromium('modules in development stores');

/** Returns the S256 challenge of a verifier (RFC 7636, 4.2). */
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  const inChromium = hasBrowser ? inOneTopology : test.skip;
  let system: SharedSystem;
  let url: string;
  beforeAll(async () => {
    system = await share();
    url = system.baseUrl;
  });

  test('an app that was never approved is authorised by its developer in a development store, and nowhere else', async () => {
    const developer = await newPerson(url);
    const { call } = developer;
    const postCreated = async (path: string, json: object) =>
      expectStatus(await call('POST', path, json), 201).body;
    const { org } = await postCreated('/api/orgs', { name: 'Acme' });
    const redirectUri = 'https://app.example/cb';
    const appInput = { name: 'Draft', redirectUris: [redirectUri] };
    const { app, clientSecret } = await postCreated(`/api/orgs/${org.id}/apps`, appInput);
    const { version } = await postCreated(`/api/orgs/${org.id}/apps/${app.id}/versions`, { scopes });
    const { store } = await postCreated(`/api/orgs/${org.id}/stores`, { name: 'Bench' });

    // The data of the consent page.
    const profile = `/api/apps/${app.id}`;
    expect((await call('GET', profile)).body.app).toMatchObject({ name: 'Draft', scopes });
    const stranger = await newPerson(url);
    expect(codeOf(await stranger.call('GET', profile))).toEqual([404, 'not_found']);
    expect(
      (await call('GET', '/api/apps?q=draft')).body.apps.map(({ id }: { id: string }) => id),
    ).not.toContain(app.id);

    const verifier = 'v'.repeat(43);
    const authorize = (storeId: string, more = {}) =>
      call('POST', `/api/stores/${storeId}/apps/${app.id}/authorize`, {
        scopes,
        redirectUri,
        codeChallenge: challengeOf(verifier),
        ...more,
      });
    const shop = (await postCreated('/api/stores', { name: 'Shop' })).store;
    expect(codeOf(await authorize(shop.id))).toEqual([409, 'invalid_state']);
    expect(codeOf(await authorize(store.id, { scopes: [] }))).toEqual([409, 'consent_required']);
    const declined = expectStatus(await authorize(store.id, { decline: true }), 200).body.redirectTo;
    expect(new URL(declined).searchParams.get('error')).toBe('access_denied');
    for (const state of ['installed', 'authorised again']) {
      const { redirectTo } = expectStatus(await authorize(store.id), 200).body;
      const token = await createCaller(url, undefined)('POST', '/oauth/token', {
        grant_type: 'authorization_code',
        code: new URL(redirectTo).searchParams.get('code'),
        redirect_uri: redirectUri,
        client_id: app.id,
        client_secret: clientSecret,
        code_verifier: verifier,
      });
      const { access_token } = expectStatus(token, 200).body;
      const { status } = await createCaller(url, access_token)('GET', '/api/v1/app-data');
      expect([state, status]).toEqual([state, 200]);
    }
    const { install } = (await call('GET', `/api/stores/${store.id}/apps/${app.id}`)).body;
    expect(install).toMatchObject({ versionId: version.id, state: 'installed', grantedScopes: scopes });
  });

  /**
   * Creates a developer with an organisation and an app that has one approved version, whose block shows `Reviewed`.
   */
  async function newApp() {
    const developer = await newPerson(url);
    const { call } = developer;
    const postCreated = async (path: string, json: object) =>
      expectStatus(await call('POST', path, json), 201).body;
    const { org } = await postCreated('/api/orgs', { name: 'Acme' });
    const own = `/api/orgs/${org.id}`;
    const { app } = await postCreated(`${own}/apps`, {
      name: 'Box',
      redirectUris: ['https://app.example/cb'],
    });
    const versions = `${own}/apps/${app.id}/versions`;
    const newVersion = async () => {
      const { version } = await postCreated(versions, { scopes });
      const path = `${versions}/${version.id}`;
      return {
        id: version.id as string,
        path,
        putBlocks: async (text: string, island?: string) =>
          expectStatus(await call('PUT', `${path}/blocks`, { blocks: blocksOf(text, island) }), 200),
        async putModule(module: string) {
          expectStatus(await call('PUT', `${path}/islands`, { islands: [{ name: 'box' }] }), 200);
          const headers = {
            authorization: `Bearer ${developer.accessToken}`,
            'content-type': 'text/javascript',
          };
          const upload = `${path}/islands/module?name=box`;
          expectStatus(await send(url, 'POST', upload, { headers, body: module }), 201);
        },
      };
    };
    const first = await newVersion();
    await first.putBlocks('Reviewed');
    expectStatus(await call('POST', `${first.path}/submit`), 200);
    const { email, password } = system.demo.reviewer;
    const login = await createCaller(url, undefined)('POST', '/api/auth/login', { email, password });
    const review = createCaller(url, expectStatus(login, 200).body.accessToken);
    expectStatus(await review('POST', `/api/review/versions/${first.id}/approve`), 200);
    return {
      developer,
      appId: app.id as string,
      newVersion,
      newStore: () => postCreated(`${own}/stores`, { name: 'Bench' }),
      list: () => call('GET', `${own}/stores`),
      audit: () => call('GET', `${own}/audit`),
      install: (storeId: string, versionId?: string) =>
        call('POST', `/api/stores/${storeId}/apps/${app.id}/install`, { versionId, scopes }),
    };
  }

  /** Creates pages, articles and sections of a site, each with the app's block. */
  async function furnish(owner: Person, storeId: string, appId: string) {
    const { store } = expectStatus(await owner.call('GET', `/api/stores/${storeId}`), 200).body;
    const write = ['pages.read', 'pages.write', 'blog.read', 'blog.write'];
    const { secret } = await newKey(owner, storeId, write);
    const site = new Site(url, owner, storeId, store.slug, createCaller(url, secret));
    const specials = { appId, blockKey: 'box' };
    const node = { id: 'b', type: 'blockRef', props: { specials, settings: {} } };
    const document = documentOf([node]);
    const sectionId = await site.section(document);
    const page = await site.live('Home', document);
    const written = await site.api('POST', '/api/v1/articles', { title: 'One', slug: 'one' });
    const { article } = expectStatus(written, 201).body;
    expectStatus(await site.edit('PUT', `/articles/${article.id}/document`, { document }), 200);
    expectStatus(await site.api('POST', `/api/v1/articles/${article.id}/publish`), 200);
    return { site, document, pageId: page.id as string, sectionId, articleId: article.id as string };
  }

  test('forms of a closed store accept nothing', async () => {
    const { call, ...developer } = await newPerson(url);
    const { org } = expectStatus(await call('POST', '/api/orgs', { name: 'Acme' }), 201).body;
    const stores = `/api/orgs/${org.id}/stores`;
    const { store } = expectStatus(await call('POST', stores, { name: 'Bench' }), 201).body;
    const owner = { call, ...developer };
    const { secret } = await newKey(owner, store.id, ['pages.read', 'pages.write']);
    const site = new Site(url, owner, store.id, store.slug, createCaller(url, secret));
    const form = { id: 'f', type: 'form', props: { specials: { name: 'contact' } }, children: ['mail'] };
    const mail = { id: 'mail', type: 'field', props: { specials: { name: 'email', label: 'E-mail' } } };
    const { slug } = await site.live('Contact', documentOf([form], [mail]));
    const action = /<form class="wb-form[^>]* action="([^"]*)"/.exec(
      (await site.visit(`/${slug}`)).text,
    )![1]!;
    const send = () => createCaller(url, undefined)('POST', action, { email: 'ann@example.com' });
    expectStatus(await send(), 201);
    expectStatus(await call('DELETE', `${stores}/${store.id}`), 204);
    await eventually(async () => (await send()).status === 404, { what: 'the form to take nothing' });
  });

  test('a development store shows a draft, which no route of an ordinary store shows', async () => {
    const { developer, appId, newVersion, newStore, list, audit, install } = await newApp();
    const { store } = await newStore();
    expect(store).toMatchObject({ isDevelopment: true, role: 'owner' });
    expect((await list()).body).toMatchObject({ total: 1, stores: [{ id: store.id, isDevelopment: true }] });
    const [entry] = expectStatus(await audit(), 200).body.entries;
    expect(entry).toMatchObject({ action: 'store.created', target: { id: store.id, name: 'Bench' } });
    const draft = await newVersion();
    await draft.putModule('export {}; // whispered');
    await draft.putBlocks('Whisper one', 'box');
    const ordinary = await Site.open(url, 'Ordinary');
    expect(codeOf(await install(store.id, draft.id))).toEqual([201, undefined]);
    const elsewhere = `/api/stores/${ordinary.storeId}/apps/${appId}/install`;
    const refused = await ordinary.owner.call('POST', elsewhere, { versionId: draft.id, scopes });
    expect(codeOf(refused)).toEqual([409, 'invalid_state']);
    expectStatus(await ordinary.owner.call('POST', elsewhere, { scopes }), 201);

    const bench = await furnish(developer, store.id, appId);
    const theirs = await furnish(ordinary.owner, ordinary.storeId, appId);
    const live = await bench.site.visit('/');
    expect(live.text).toContain('>Whisper one<');
    expect(live.headers['x-robots-tag']).toBe('noindex');
    const [module] = /\/islands\/dev\/[^"]+\.js/.exec(live.text)!;
    expect(module).toBe(`/islands/dev/${store.id}/${sha256('export {}; // whispered')}.js`);
    expect((await send(url, 'GET', module)).text).toBe('export {}; // whispered');

    await draft.putBlocks('Whisper two', 'box');
    const { document, pageId } = bench;
    const canvas = await bench.site.edit('POST', `/pages/${pageId}/canvas`, { document });
    const preview = await bench.site.edit('POST', `/pages/${pageId}/preview`);
    for (const { text } of [canvas, preview]) expect(text).toContain('Whisper two');
    await bench.site.shows('/', '>Whisper two<');
    await bench.site.shows('/blog/one', '>Whisper two<');

    const ids: Record<string, string> = {
      storeId: ordinary.storeId,
      appId,
      pageId: theirs.pageId,
      sectionId: theirs.sectionId,
      articleId: theirs.articleId,
    };
    const { paths } = (await send(url, 'GET', '/openapi.json')).body as { paths: Record<string, object> };
    const readable = Object.entries(paths)
      .filter(([path, methods]) => path.startsWith('/api/stores/{storeId}') && 'get' in methods)
      .map(([path]) =>
        path
          .replace('/pages/{id}', '/pages/{pageId}')
          .replace('/articles/{id}', '/articles/{articleId}')
          .replaceAll(/\{(\w+)\}/g, (all, name) => ids[name] ?? all),
      )
      .filter((path) => !path.includes('{'));
    expect(readable.length).toBeGreaterThan(20);
    const { pageId: page, articleId } = theirs;
    const requests = [
      ...readable.map((path) => ['GET', `${path}?versionId=${draft.id}&version=${draft.id}`] as const),
      ['POST', `/api/stores/${ordinary.storeId}/pages/${page}/canvas`, { document }] as const,
      ['POST', `/api/stores/${ordinary.storeId}/pages/${page}/preview`, { document }] as const,
      ['POST', `/api/stores/${ordinary.storeId}/articles/${articleId}/convert`, {}] as const,
      ['GET', `/api/apps/${appId}`] as const,
      ['GET', '/api/apps?q=Box'] as const,
    ];
    const site = ['', 'one', `?version=${draft.id}`].map((rest) =>
      theirs.site.visit(rest === 'one' ? '/blog/one' : `/${rest}`),
    );
    const replies = [
      ...(await Promise.all(site)),
      ...(await Promise.all(requests.map(([method, path, json]) => ordinary.owner.call(method, path, json)))),
      await send(url, 'GET', module.replace(store.id, ordinary.storeId)),
      await send(url, 'GET', `/islands/${sha256('export {}; // whispered')}.js`),
    ];
    for (const { status, text, headers } of replies) {
      expect(status).toBeLessThan(500);
      for (const secret of ['hisper', draft.id, sha256('export {}; // whispered')])
        expect(text.includes(secret) && text).toBe(false);
      expect(headers['x-robots-tag']).toBeUndefined();
    }
    expect(replies.filter(({ text }) => text.includes('Reviewed')).length).toBeGreaterThanOrEqual(6);
  });

  inChromium('an unreviewed island runs in its development store, and no sibling’s does', async () => {
    const { developer, appId, newVersion, newStore, install } = await newApp();
    const [{ store }, sibling] = [await newStore(), (await newStore()).store];
    const [draft, other] = [await newVersion(), await newVersion()];
    const theirs = `document.title = 'the sibling ran'; export {};`;
    await other.putModule(theirs);
    expectStatus(await install(sibling.id, other.id), 201);
    const path = `/islands/dev/${sibling.id}/${sha256(theirs)}.js`;
    expectStatus(await send(url, 'GET', path), 200);
    await draft.putModule(`
      // At the store's own origin, where nothing of another store is, and where everything is.
      const tries = ['${path}', '${url}${path}'].map((at) => import(at).then(() => 'runs', () => 'is refused'));
      const sibling = Promise.all(tries).then((all) => all.join(' and '));
      window.WB.register('app.${appId}.box', class {
        constructor(element) { sibling.then((outcome) => { element.textContent = 'the sibling ' + outcome; }); }
      });`);
    await draft.putBlocks('Box', 'box');
    expectStatus(await install(store.id, draft.id), 201);
    const { site } = await furnish(developer, store.id, appId);
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`${url}/s/${site.slug}/`);
      await page.getByText('the sibling is refused and is refused').first().waitFor();
      expect(await page.title()).not.toContain('ran');
      // Another version of the module runs as soon as it is uploaded.
      await draft.putModule(`window.WB.register('app.${appId}.box', class {
        constructor(element) { element.textContent = 'the next one'; }
      });`);
      await eventually(async () => {
        await page.reload();
        return (await page.getByText('the next one').count()) > 0;
      });
    } finally {
      await browser.close();
    }
  });
});
