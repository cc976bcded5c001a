import { readFileSync } from 'node:fs';
import {
  type EventMessage,
  FormSubmitted,
  firstIdAt,
  newId,
  StoreChanged,
  StoreClosed,
} from '@waybill/contracts';
import { defineConfig, defineService, ownOriginHeader } from '@waybill/kernel';
import { eventually, openTestDatabase, runSql, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { sweepSubmissions } from '../src/forms/submissions/form-submissions.ts';
import { content } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';
import { createPage, heading, type Node } from './documents.ts';
import { createNeighbours, getSlug } from './neighbours.ts';
import { newStore } from './store.ts';

const heard: EventMessage[] = [];
const listener = defineService({
  name: 'listener',
  config: defineConfig(Type.Object({})),
  aggregates: [],
  subscriptions: () => [
    {
      queue: 'listener',
      events: [FormSubmitted],
      batch: 1,
      handle: async (events) => void heard.push(...events),
    },
  ],
});
const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, listener, ...neighbours.services], {
    PUBLIC_BASE_URL: 'https://shop.example',
  });
});
afterAll(() => system.stop());

const field = (id: string, specials: object): Node => ({ id, type: 'field', props: { specials } as never });
const contact = (href: unknown = null): Node => ({
  id: 'contact',
  type: 'form',
  props: { specials: { name: 'contact', href } } as never,
  children: [
    field('mail', { name: 'email', label: 'Your e-mail', inputType: 'email', required: true }),
    field('words', { name: 'message', label: 'Message', inputType: 'textarea' }),
    {
      id: 'topic',
      type: 'select',
      props: { specials: { name: 'topic', label: 'Topic', options: ['Tea', 'Cups'] } },
    },
    ...['News', 'Offers'].map(
      (value): Node => ({
        id: value,
        type: 'checkbox',
        props: { specials: { name: 'wants', label: value, value } },
      }),
    ),
    { id: 'send', type: 'button', props: { specials: { text: 'Send' } } },
  ],
});

const actions = (html: string) => [...html.matchAll(/<form class="wb-form[^>]* action="([^"]*)"/g)];
const actionIn = (html: string) => actions(html)[0]![1]!;

async function open({ locales = null as string[] | null } = {}) {
  const store = await newStore(system);
  const { storeId, api, edit } = store;
  const slug = getSlug(storeId);
  const facts = { id: storeId, name: 'Tea & Co', slug, currency: 'EUR', locales, isDevelopment: false };
  neighbours.stores.set(storeId, facts);
  await api('POST', '/api/v1/pages', { name: 'Home' });
  return {
    ...store,
    slug,
    async live(name: string, ...nodes: Node[]): Promise<string> {
      const { id } = (await api('POST', '/api/v1/pages', { name })).body.page;
      const saved = await edit('PUT', `/pages/${id}/draft`, { document: createPage(...nodes) });
      expect(saved.status).toBe(200);
      expect((await api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200);
      return id;
    },
    async page(path: string): Promise<string> {
      return (await request(system.internalUrl).get(`/s/${slug}/${path}`).set('accept', 'text/html')).text;
    },
    listStored: async (query = '') =>
      (await api('GET', `/api/v1/form-submissions${query}`)).body.formSubmissions as Record<
        string,
        unknown
      >[],
  };
}

const sendForm = (action: string, values: string, headers: Record<string, string> = {}) =>
  request(system.internalUrl)
    .post(action)
    .redirects(0)
    .set({ accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', ...headers })
    .send(values);
const sendJson = (action: string, values: unknown) =>
  request(system.internalUrl)
    .post(action)
    .send(values as object);

describe('a form of a live page', () => {
  test('stores a submission, thanks the visitor, mails the merchant and emits an event', async () => {
    const { storeId, live, page, listStored, api, withScopes } = await open();
    const pageId = await live('Contact', heading('h', 'Write to us'), contact());
    const html = await page('contact');
    const action = actionIn(html);
    expect(action).toMatch(new RegExp(`^/storefront/${storeId}/forms/${pageId}\\.[0-9a-z]+$`));
    const formId = action.split('/').at(-1)!;

    const values = 'email=+Ada%40Example.com&message=a%0D%0Ab&topic=Tea&wants=News&wants=Offers&price=0';
    const sent = await sendForm(action, values);
    expect([sent.status, sent.text]).toEqual([303, '']);
    const [, path, anchor] = /^(.*)#(.+)$/.exec(sent.headers.location!)!;
    expect(path).toMatch(/^\/s\/[^/]+\/contact$/);
    expect(html).toContain(`<p class="wb-form-sent" id="${anchor}" role="status">Thank you`);

    const [submission] = await listStored();
    expect(submission).toEqual({
      id: expect.stringMatching(/^fsb_/),
      formId,
      pageId,
      createdAt: expect.any(String),
      values: { email: ' Ada@Example.com', message: 'a\nb', topic: 'Tea', wants: ['News', 'Offers'] },
    });
    await eventually(() => heard.length > 0);
    expect(heard.map(({ data }) => JSON.parse(data))).toEqual([{ formSubmission: submission }]);

    const one = `/api/v1/form-submissions/${submission!.id}`;
    expect((await api('GET', one)).body).toEqual({ formSubmission: submission });
    expect((await withScopes(['pages.read'])('GET', one)).body.code).toBe('insufficient_scope');
    expect(await listStored(`?formId=${formId}`)).toHaveLength(1);
    expect(await listStored(`?formId=${formId}x`)).toEqual([]);
    // An empty filter is ignored.
    expect(await listStored('?formId=')).toHaveLength(1);
    expect((await api('DELETE', one)).status).toBe(204);
    expect((await api('DELETE', one)).body.code).toBe('not_found');
    expect((await api('GET', '/api/v1/form-submissions')).body).toMatchObject({ total: 0 });
  });

  test('shows problems at its fields with the visitor’s input, which is not run', async () => {
    const { live, page, listStored, slug } = await open();
    await live('Contact', contact());
    const action = actionIn(await page('contact'));
    const evil = '</textarea><script>alert(1)</script>"\'';
    const values = new URLSearchParams({ email: 'nobody', message: evil, topic: 'Guns', wants: 'Offers' });
    const refused = await sendForm(action, values.toString());
    expect(refused.status).toBe(422);
    expect(refused.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': 'no-store',
    });
    expect(refused.text).not.toContain('<script>alert');
    expect(refused.text).toContain('&lt;/textarea&gt;&lt;script&gt;alert(1)');
    const [, described] =
      /<input [^>]*value="nobody"[^>]* aria-invalid="true" aria-describedby="([^"]*)" autofocus=""/.exec(
        refused.text,
      )!;
    expect(refused.text).toContain(`<p class="wb-problem" id="${described}">Please check`);
    expect(refused.text.match(/ autofocus=/g)).toHaveLength(1);
    expect(refused.text).toMatch(/value="Offers" checked=""/);
    // The form is the same one, in the store's layout, so it can be submitted again.
    expect(actionIn(refused.text)).toBe(action);
    expect(refused.text).toContain('<header class="wb-site-header');
    expect(refused.text).toContain(`<a href="/s/${slug}/contact">`);

    expect((await sendForm(action, 'message=hi')).text).toContain('Please fill this in.');
    const asJson = await sendJson(action, { email: '', topic: 'Guns' });
    expect([asJson.status, asJson.body.code]).toEqual([422, 'invalid_form']);
    expect(asJson.body.details.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/email',
      '/topic',
    ]);
    expect(await listStored()).toEqual([]);
  });

  test('answers a script with JSON, and stores nothing that a bot has sent', async () => {
    const { live, page, listStored } = await open();
    await live('Contact', contact());
    const action = actionIn(await page('contact'));
    const created = await sendJson(action, { email: 'ada@example.com', wants: ['News'] });
    expect(created.status).toBe(201);
    expect(await listStored()).toEqual([created.body.formSubmission]);
    expect(created.body.formSubmission.values).toEqual({ email: 'ada@example.com', wants: ['News'] });

    const bot = { email: 'bot@example.com', _wb_url: 'https://spam.example' };
    const lured = await sendJson(action, bot);
    expect([lured.status, Object.keys(lured.body.formSubmission)]).toEqual([
      201,
      Object.keys(created.body.formSubmission),
    ]);
    expect((await sendForm(action, new URLSearchParams(bot).toString())).status).toBe(303);
    expect(await listStored()).toHaveLength(1);
    expect(await page('contact')).toMatch(
      /<div class="wb-hidden"><label for="([^"]+)">[^<]+<\/label><input id="\1" type="text" name="_wb_url" tabindex="-1" autocomplete="off"><\/div>/,
    );
  });

  test('redirects to the author’s page or back to the visitor’s, and to no other site', async () => {
    const { live, page, slug } = await open();
    const thanks = await live('Thanks', heading('h', 'Thanks'));
    await live('Contact', contact({ type: 'page', pageId: thanks }));
    await live('Plain', contact());
    const ok = 'email=a%40b.example';
    const led = await sendForm(actionIn(await page('contact')), ok);
    expect(led.headers.location).toBe(`/s/${slug}/thanks`);
    const plain = actionIn(await page('plain'));
    const { host } = new URL(system.internalUrl);
    const back = async (referer: string, own?: true) =>
      (await sendForm(plain, ok, { referer, ...(own && { [ownOriginHeader]: 'yes' }) })).headers.location;
    expect(await back(`http://${host}/s/${slug}/plain?a=b`)).toMatch(
      new RegExp(`^/s/${slug}/plain\\?a=b#wb-sent-`),
    );
    expect(await back(`http://${host}/plain`, true)).toMatch(/^\/plain#wb-sent-/);
    for (const elsewhere of ['https://evil.example/plain', `http://${host}/s/other/`, 'nonsense'])
      expect(await back(elsewhere)).toMatch(new RegExp(`^/s/${slug}/plain#wb-sent-`));
    // Paths that would be addresses of their own.
    for (const path of ['//evil.example/plain', '/\\\\evil.example/plain', '///evil.example'])
      expect(await back(`http://${host}${path}`, true)).toMatch(/^\/plain#wb-sent-/);
  });

  test('stores nothing for a closed store', async () => {
    const { storeId, live, page, listStored } = await open();
    await live('Contact', contact());
    const action = actionIn(await page('contact'));
    const ok = 'email=a%40b.example';
    expect((await sendForm(action, ok)).status).toBe(303);
    await neighbours.tell(StoreClosed, storeId, {});
    await eventually(async () => (await sendForm(action, ok)).status === 404);
    // Two events announce the closure, in any order.
    const { name, currency } = neighbours.stores.get(storeId)!;
    const store = { id: storeId, name, slug: 'closed-f3a1', currency, updatedAt: new Date().toISOString() };
    await neighbours.tell(StoreChanged, storeId, { store });
    await eventually(
      async () => (await request(system.internalUrl).get('/s/closed-f3a1/contact')).status === 200,
    );
    expect((await sendForm(action, ok)).status).toBe(404);
    expect((await listStored()).length).toBeGreaterThan(0);
  });

  test('stores nothing for a store that was closed before content recorded closures', async () => {
    const closing = async (slug: string) => {
      const { storeId, live, page } = await open();
      await live('Contact', contact());
      const action = actionIn(await page('contact'));
      await runSql(system, 'content', `update store_fact set slug = '${slug}' where store_id = '${storeId}'`);
      expect((await sendForm(action, 'email=a%40b.example')).status).toBe(303);
      return action;
    };
    const closed = await closing(`closed-${'3f'.repeat(20)}`);
    const stillOpen = await closing('closed-on-sundays');
    const migration = new URL('../migrations/0091_closed_before.online.sql', import.meta.url);
    await runSql(system, 'content', readFileSync(migration, 'utf8'));
    expect((await sendForm(closed, 'email=a%40b.example')).status).toBe(404);
    expect((await sendForm(stillOpen, 'email=a%40b.example')).status).toBe(303);
  });

  test('mail addresses are found in any field, also in earlier submissions', async () => {
    const { storeId, live, page } = await open();
    await live('Contact', contact());
    const action = actionIn(await page('contact'));
    expect((await sendForm(action, 'email=Ann%40b.example&message=+Bob%40b.example+')).status).toBe(303);
    expect((await sendForm(action, 'email=Ann%40b.example&message=Write+to+bob%40b.example')).status).toBe(
      303,
    );
    const ofBob = async () => {
      const listed = await request(system.internalUrl)
        .post('/internal/customer-form-submissions')
        .set('authorization', `Bearer ${system.serviceToken}`)
        .send({ storeId, customerId: 'cus_1', emails: ['bob@b.example'], after: null });
      return listed.body.items.map(({ values }: { values: { message: string } }) => values.message);
    };
    expect(await ofBob()).toEqual([' Bob@b.example ']);
    await runSql(system, 'content', `update form_submission set emails = '{}' where store_id = '${storeId}'`);
    const migration = new URL('../migrations/0092_addresses_in_any_field.online.sql', import.meta.url);
    await runSql(system, 'content', readFileSync(migration, 'utf8'));
    expect(await ofBob()).toEqual([' Bob@b.example ']);
  });

  test('mails read what a submission contains now: nothing once it was erased', async () => {
    const { storeId, live, page, listStored } = await open();
    await live('Contact', contact());
    expect((await sendForm(actionIn(await page('contact')), 'email=Ann%40b.example')).status).toBe(303);
    const [submission] = await listStored();
    const ask = async (path: string, body: object) =>
      (
        await request(system.internalUrl)
          .post(`/internal/${path}`)
          .set('authorization', `Bearer ${system.serviceToken}`)
          .send(body)
      ).body;
    const submissions = [newId('formSubmission'), submission!.id].map((id) => ({ storeId, id }));
    const mailed = () => ask('mailed-form-submissions', { submissions });
    expect(await mailed()).toEqual({ values: [null, { email: 'Ann@b.example' }] });
    await ask('customer-form-submissions/erase', { storeId, emails: ['ann@b.example'] });
    expect(await mailed()).toEqual({ values: [null, {}] });
  });

  test('works in sections, articles and the footer, in each language, until it is no longer live', async () => {
    const { live, page, listStored, api, edit } = await open({ locales: ['en', 'de'] });
    const { body } = await edit('POST', '/sections', { name: 'Form', document: createPage(contact()) });
    const ref = { id: 'ref', type: 'sectionRef', props: { specials: { sectionId: body.section.id } } };
    const pageId = await live('Contact', ref);
    const action = actionIn(await page('contact'));
    expect((await sendForm(action, 'email=a%40b.example')).status).toBe(303);

    const german = actionIn(await page('de/contact'));
    expect(german).toBe(`${action}?locale=de`);
    const empty = await sendForm(german, '');
    expect([empty.status, empty.text]).toEqual([422, expect.stringContaining('Bitte füllen Sie')]);
    expect(empty.text).toContain('<html lang="de">');
    expect((await sendForm(german, 'email=a%40b.example')).headers.location).toMatch(/\/de\/contact#/);

    expect((await edit('PUT', '/templates/footer/draft', { document: createPage(contact()) })).status).toBe(
      200,
    );
    expect((await edit('POST', '/templates/footer/publish')).status).toBe(200);
    const both = actions(await page('contact')).map(([, each]) => each!);
    expect(both).toEqual([action, expect.stringContaining('/tpl_footer.')]);
    expect((await sendForm(both[1]!, 'email=a%40b.example')).status).toBe(303);
    const again = await sendForm(both[1]!, '');
    expect([again.status, actions(again.text).length]).toEqual([422, 1]);
    expect((await listStored()).map((each) => each.pageId)).toEqual([null, pageId, pageId]);

    expect((await api('POST', `/api/v1/pages/${pageId}/unpublish`)).status).toBe(200);
    for (const gone of [action, action.slice(0, -1), `${action.split('/forms/')[0]}/forms/pag_1.x`])
      expect((await sendJson(gone, { email: 'a@b.example' })).body.code).toBe('not_found');
  });

  test('refuses no visitor because of the store’s size, and keeps each submission for two years', async () => {
    const { storeId, live, page, listStored } = await open();
    await live('Contact', contact());
    const action = actionIn(await page('contact'));
    const first = await sendJson(action, { email: 'first@b.example' });
    await runSql(
      system,
      'content',
      `update form_box set submissions = submissions + 5000000 where store_id = '${storeId}'`,
    );
    expect((await sendJson(action, { email: 'second@b.example' })).status).toBe(201);
    const db = await openTestDatabase<Tables>(system.databaseUrl('content'));
    const sweep = () => db.transaction().execute((trx) => sweepSubmissions(trx));
    const age = (days: number) =>
      runSql(
        system,
        'content',
        `update form_submission set id = '${firstIdAt('formSubmission', Date.now() - days * 86_400_000)}'
         where store_id = '${storeId}' and emails @> '{first@b.example}'`,
      );
    await age(729);
    await sweep();
    expect(await listStored()).toHaveLength(2);
    await age(731);
    while (await sweep());
    expect((await listStored()).map(({ id }) => id)).not.toContain(first.body.formSubmission.id);
    expect(await listStored()).toHaveLength(1);
    await db.destroy();
  });

  test('refuses anything but a form, too large bodies and too many requests', async () => {
    const { live, page } = await open();
    await live('Contact', contact());
    const action = actionIn(await page('contact'));
    const as = (type: string, body: string) => sendForm(action, body, { 'content-type': type });
    expect((await as('text/plain', 'email=a@b.example')).body.code).toBe('invalid_body');
    expect((await as('application/json', '[]')).body.code).toBe('invalid_body');
    const wrong = await as('application/json', '{"email":{},"name":"A","a/b":[true],"c~":[["x"]]}');
    expect(wrong.body).toMatchObject({
      code: 'invalid_body',
      details: [{ pointer: '/email' }, { pointer: '/a~1b' }, { pointer: '/c~0' }],
    });
    expect((await sendForm(action, `message=${'x'.repeat(70_000)}`)).body).toEqual({
      code: 'body_too_large',
      error: 'The request body is larger than 64 KiB.',
    });
    const unkept = await sendJson(action, { email: 'a@b.example', message: 'a\0b' });
    expect(unkept.body.details).toEqual([{ pointer: '/message', message: expect.any(String) }]);
    const codes = new Set<number>();
    // In waves, because on a slow machine a submission that waits too long would be refused as well.
    for (let wave = 0; wave < 10; wave++) {
      const many = Array.from({ length: 20 }, (_, i) =>
        sendJson(action, { email: `${wave}-${i}@b.example` }),
      );
      for (const { status } of await Promise.all(many)) codes.add(status);
    }
    expect([...codes].sort()).toEqual([201, 429]);
  });
});
