import { appPlatform } from '@waybill/app-platform';
import { content } from '@waybill/content';
import { newId, type Principal, permissions } from '@waybill/contracts';
import { createStubService, eventually, startSystem, type TestSystem } from '@waybill/testing';
import fc from 'fast-check';
import pg from 'pg';
import request from 'supertest';

const slugOf = (storeId: string) => storeId.slice(4);
/** A stand-in of identity where every store exists, in two languages. */
const identity = createStubService('identity', {
  'GET /internal/stores/{storeId}': ({ params }: { params: { storeId: string } }) => ({
    store: storeOf(params.storeId),
  }),
  'GET /internal/store-slugs/{slug}': ({ params }) => ({ store: storeOf(`str_${params.slug}`) }),
});
const storeOf = (id: string) => ({
  id,
  name: 'Tea',
  slug: slugOf(id),
  currency: 'EUR',
  locales: ['en', 'de'],
  isDevelopment: false,
});

let system: TestSystem;
const clients = new Map<string, pg.Client>();
beforeAll(async () => {
  system = await startSystem([content, appPlatform, identity], { PUBLIC_BASE_URL: 'https://shop.example' });
  for (const service of ['content', 'app-platform']) {
    const client = new pg.Client(system.databaseUrl(service));
    await client.connect();
    clients.set(service, client);
  }
});
afterAll(async () => {
  for (const client of clients.values()) await client.end();
  await system.stop();
});

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
const as =
  (principal: Principal, root = '') =>
  async (method: Method, path: string, body?: object) => {
    const call = request(system.internalUrl)
      [method](root + path)
      .set(await system.as(principal));
    const res = await (body === undefined ? call : call.send(body));
    if (res.status >= 300) throw new Error(`${method} ${path}: ${res.status} ${res.text}`);
    return res;
  };

const developer = as({ kind: 'user', userId: newId('user'), email: 'dev@example.com' });
const reviewer = as({ kind: 'user', userId: newId('user'), email: 'r@example.com', isReviewer: true });

/** Returns a block whose HTML identifies it, regardless of its texts. */
const blockOf = (key: string) => ({
  key,
  name: `The ${key}`,
  rootId: 'r',
  nodes: [{ id: 'r', type: 'text', props: { specials: { text: key, ariaLabel: `block-${key}` } } }],
});
const keys = ['one', 'two', 'three'] as const;
type Key = (typeof keys)[number];

/** Creates an app whose versions are approved with these blocks. */
async function newApp() {
  const { org } = (await developer('post', '/api/orgs', { name: 'Acme' })).body;
  const { app } = (await developer('post', `/api/orgs/${org.id}/apps`, { name: 'App' })).body;
  const versions = `/api/orgs/${org.id}/apps/${app.id}/versions`;
  return {
    appId: app.id as string,
    async approve(blocks: readonly string[], scopes: string[] = []) {
      const { version } = (await developer('post', versions, { scopes })).body;
      const path = `${versions}/${version.id}`;
      await developer('put', `${path}/blocks`, { blocks: blocks.map(blockOf) });
      await developer('post', `${path}/submit`);
      await reviewer('post', `/api/review/versions/${version.id}/approve`);
      return version.id as string;
    },
  };
}

/** The content of a document: blocks, and the first or the second section. */
type Held = readonly (Key | 's0' | 's1')[];

/** Returns a document with a marker at its beginning and end, so that a test finds its part of a page. */
function documentOf(held: Held, appId: string, sections: readonly string[], name: string) {
  const nodes = held.map((each, i) => {
    const sectionId = { s0: sections[0], s1: sections[1] }[each as 's0'];
    const specials = sectionId ? { sectionId } : { appId, blockKey: each };
    return { id: `n${i}`, type: sectionId ? 'sectionRef' : 'blockRef', props: { specials } };
  });
  const children = [...nodes.map(({ id }) => id), 'end'];
  const begin = {
    id: 'root',
    type: 'section',
    children,
    props: { specials: { ariaLabel: `begin-${name}` } },
  };
  const end = { id: 'end', type: 'text', props: { specials: { text: 'x', ariaLabel: `end-${name}` } } };
  return { rootId: 'root', nodes: [begin, ...nodes, end] };
}
const partOf = (html: string, name: string) =>
  html
    .split(`aria-label="begin-${name}"`)
    .slice(1)
    .map((part) => part.split(`aria-label="end-${name}"`)[0])
    .join();

function newStore(appId: string) {
  const storeId = newId('store');
  const [scopes, creatorPermissions] = [[...permissions], [...permissions]];
  const api = as({ kind: 'apiKey', storeId, keyId: 'key_1', scopes, creatorPermissions }, '/api/v1');
  const owner = {
    kind: 'user',
    userId: newId('user'),
    email: 'a@b.example',
    storeId,
    role: 'owner',
  } as const;
  const edit = as(owner, `/api/stores/${storeId}`);
  const none = async (service: string, what: string) => {
    const query = `select exists (select from ${what}) as found`;
    return !(await clients.get(service)!.query(query)).rows[0].found;
  };
  return {
    api,
    edit,
    visit: async (path: string) =>
      (await request(system.internalUrl).get(`/s/${slugOf(storeId)}/${path}`)).text,
    app: (method: Method, rest = '', body?: object) => edit(method, `/apps/${appId}${rest}`, body),
    /** Waits until all consequences of a change are done. */
    settled: () =>
      eventually(
        async () =>
          (await none('app-platform', 'install_sweep')) &&
          (await none('app-platform', 'outbox where published_at is null')) &&
          (await none('content', `stale_page where store_id = '${storeId}'`)),
        { what: 'live pages to be as they stay' },
      ),
  };
}

/** The content that a merchant has created, and the change that follows. */
interface Plan {
  sections: readonly [Held, Held];
  pages: readonly Written[];
  articles: readonly Written[];
  /** The later content of the sections, saved after everything is published; null if a section is not saved again. */
  later: readonly [Held | null, Held | null];
  /** Whether a version is installed automatically after that. */
  moves: boolean;
  change: (typeof changes)[number];
}
const changes = ['rollback', 'consent', 'disable', 'uninstall'] as const;
interface Written {
  held: Held;
  published: boolean;
  /** The content that is saved after that; null if nothing is. */
  draft: Held | null;
}

const heldOf = (...of: Held) => fc.subarray([...of], { minLength: 0 });
const any = heldOf(...keys, 's0', 's1');
const written = fc.record<Written>({ held: any, published: fc.boolean(), draft: fc.option<Held>(any) });
const inner = heldOf(...keys);
const outer = heldOf(...keys, 's0');
const plans = fc.record<Plan>({
  sections: fc.tuple(inner, outer),
  pages: fc.array(written, { minLength: 2, maxLength: 3 }),
  articles: fc.array(written, { minLength: 1, maxLength: 2 }),
  later: fc.tuple(fc.option<Held>(inner), fc.option<Held>(outer)),
  moves: fc.boolean(),
  change: fc.constantFrom(...changes),
});

/** A plan with something of each kind. */
const rich: Omit<Plan, 'change'> = {
  sections: [['two'], ['three', 's0']],
  pages: [
    { held: ['one', 's1'], published: true, draft: ['three', 's0'] },
    { held: ['two', 'three'], published: true, draft: null },
    { held: ['s1'], published: false, draft: null },
  ],
  articles: [
    { held: ['s0', 'one'], published: true, draft: ['s1'] },
    { held: ['three'], published: false, draft: null },
  ],
  later: [['one', 'three'], null],
  moves: true,
};

/** A page or an article in the state that the plan left it in. */
interface Thing {
  name: string;
  /** The path at which visitors see it; null if nowhere. */
  path: string | null;
  /** The saved content that is not published. */
  draft: Held | null;
}

const isSame = (a: Held | null, b: Held | null) => a?.join() === b?.join();

/**
 * Does everything in a plan except its change. Returns `look`, which finds the places that show each block, on every
 * call.
 */
async function build(plan: Plan) {
  const app = await newApp();
  const versions = [await app.approve(['one']), await app.approve(['one', 'two'])];
  const store = newStore(app.appId);
  const { api, edit, visit } = store;
  await store.app('post', '/install', { scopes: [] });
  const sections: string[] = [];
  const saved = (held: Held, name: string) => ({ document: documentOf(held, app.appId, sections, name) });
  for (const [i, held] of plan.sections.entries()) {
    const body = { name: `s${i}`, ...saved(held, `s${i}`) };
    sections.push((await edit('post', '/sections', body)).body.section.id);
  }
  const probe = (await api('post', '/pages', { name: 'Probe' })).body.page.id;

  const things: Thing[] = [];
  const later: (() => Promise<unknown>)[] = [];
  async function write(name: string, path: string, at: string, { held, published, draft }: Written) {
    const save = (each: Held) => edit('put', at, saved(each, name.replace(' ', '-')));
    await save(held);
    if (published) await api('post', `${at.split('/').slice(0, 3).join('/')}/publish`);
    const next = isSame(draft, held) ? null : draft;
    if (next) later.push(() => save(next));
    things.push({ name, path: published ? path : null, draft: next ?? (published ? null : held) });
  }
  for (const [i, page] of plan.pages.entries()) {
    const { id } = (await api('post', '/pages', { name: `p${i}` })).body.page;
    await write(`page p${i}`, `p${i}`, `/pages/${id}/draft`, page);
  }
  for (const [i, article] of plan.articles.entries()) {
    const status = article.published ? 'published' : 'draft';
    const { id } = (await api('post', '/articles', { title: `a${i}`, status })).body.article;
    await write(`article a${i}`, `blog/a${i}`, `/articles/${id}/document`, article);
  }
  if (plan.moves) await app.approve(['two', 'three']);
  for (const save of later) await save();
  for (const [i, held] of plan.later.entries()) {
    if (held) await edit('put', `/sections/${sections[i]}`, { name: `s${i}`, ...saved(held, `s${i}`) });
  }
  const published = [...plan.pages, ...plan.articles].filter((each) => each.published);
  const isOn = (section: 's0' | 's1'): boolean =>
    published.some(({ held }) => held.includes(section)) ||
    (section === 's0' && isOn('s1') && plan.sections[1].includes('s0'));
  const isWaiting = (i: 0 | 1) =>
    !isOn(`s${i}`) || (plan.later[i] !== null && !isSame(plan.later[i], plan.sections[i]));

  /** Renders a preview of a document with this content. */
  const preview = async (held: Held) =>
    (await edit('post', `/pages/${probe}/preview`, saved(held, 'preview'))).text;
  async function look(): Promise<string[]> {
    const shown = new Set<string>();
    const note = (what: string, html: string) => {
      for (const key of keys) if (html.includes(`aria-label="block-${key}"`)) shown.add(`${key}: ${what}`);
    };
    for (const { name, path, draft } of things) {
      if (draft) note(`${name} draft`, await preview(draft));
      for (const html of path ? [await visit(path), await visit(`de/${path}`)] : []) {
        note(`${name} live`, html);
        for (const i of [0, 1]) note(`section s${i} live`, partOf(html, `s${i}`));
      }
    }
    for (const i of [0, 1] as const) {
      if (isWaiting(i)) note(`section s${i} draft`, partOf(await preview([`s${i}`]), `s${i}`));
    }
    return [...shown].sort();
  }
  return { app, store, versions, look };
}

/** Returns the losses that the answer lists. */
function listLosses(
  blocks: { key: string; places: { type: string; name: string; live: boolean; draft: boolean }[] }[],
) {
  const each = blocks.flatMap(({ key, places }) =>
    places.flatMap(({ type, name, ...is }) =>
      (['draft', 'live'] as const)
        .filter((state) => is[state])
        .map((state) => `${key}: ${type} ${name} ${state}`),
    ),
  );
  return each.sort();
}

test('the losses announced to a merchant are the actual ones, in pages, articles, sections and drafts', async () => {
  let lostAtAll = 0;
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const { app, store, versions, look } = await build(plan);
      const wanted = ['products.read'];
      if (plan.change === 'consent') await app.approve(['three'], wanted);
      const before = await look();
      let answer: Parameters<typeof listLosses>[0];
      if (plan.change === 'rollback') {
        const versionId = versions[0];
        answer = (await store.app('get', `/rollback?versionId=${versionId}`)).body.missingBlocks;
        await store.app('post', '/rollback', { versionId });
      } else if (plan.change === 'consent') {
        answer = (await store.app('get', '/consent')).body.missingBlocks;
        await store.app('post', '/consent', { scopes: wanted });
      } else {
        answer = (await store.app('get', '/uses')).body.uses;
        await (plan.change === 'disable' ? store.app('post', '/disable', {}) : store.app('delete'));
      }
      await store.settled();
      const after = new Set(await look());
      const lost = before.filter((each) => !after.has(each));
      lostAtAll += lost.length;
      expect(listLosses(answer)).toEqual(lost);
    }),
    { numRuns: 5, examples: changes.map((change) => [{ ...rich, change }]), includeErrorInReport: true },
  );
  expect(lostAtAll).toBeGreaterThan(20);
});
