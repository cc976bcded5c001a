import {
  type EventMessage,
  type MailedOrder,
  mailKinds,
  newId,
  type Order,
  shopLanguages,
} from '@waybill/contracts';
import {
  createStubService,
  eventually,
  listMailsTo,
  openTestDatabase,
  runSql,
  startSystem,
  type TestSystem,
} from '@waybill/testing';
import type { Kysely } from 'kysely';
import type { Context } from '../src/config.ts';
import { buildTemplateData } from '../src/customer-mails/data.ts';
import { defaultTemplate } from '../src/customer-mails/defaults.ts';
import { queueCustomerMails } from '../src/customer-mails/events.ts';
import { standardColors } from '../src/customer-mails/rendering/frame.ts';
import { createMailRenderer } from '../src/customer-mails/rendering/renderer.ts';
import { sampleSubject } from '../src/customer-mails/samples.ts';
import { identity } from '../src/index.ts';
import { deleteOldMails } from '../src/mail/queries.ts';
import type { Tables } from '../src/tables.ts';
import { type Client, createClient, type Person } from './people.ts';

/** The orders of the stand-in for the orders service, by id. */
const mailed = new Map<string, MailedOrder>();
const orders = createStubService('orders', {
  'POST /internal/mailed-orders': ({ body }: { body: { orders: { orderId: string }[] } }) => ({
    orders: body.orders.map(({ orderId }) => mailed.get(orderId) ?? null),
  }),
  'POST /internal/documents/branding': () => ({
    logo: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  }),
});
/** The form submissions of the stand-in for the content service, by id. */
const submitted = new Map<string, Record<string, string>>();
const content = createStubService('content', {
  'POST /internal/mailed-form-submissions': ({ body }: { body: { submissions: { id: string }[] } }) => ({
    values: body.submissions.map(({ id }) => submitted.get(id) ?? null),
  }),
  'POST /internal/theme-colors': () => ({ colors: { primary: '#123456', text: 'red;}' } }),
});

let system: TestSystem;
let client: Client;
let db: Kysely<Tables>;
let owner: Person;
let storeId: string;
beforeAll(async () => {
  system = await startSystem([identity, orders, content], { PUBLIC_BASE_URL: 'https://waybill.test' });
  client = createClient(system);
  db = await openTestDatabase<Tables>(system.databaseUrl('identity'), 2);
  owner = await client.newPerson('Zoë');
  await client.verify(owner);
  storeId = await client.newStore(owner);
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
});

const templates = (method: 'get' | 'put' | 'post' | 'delete', path = '', body?: object) =>
  client.as(owner, storeId, 'owner').call(method, `/api/stores/${storeId}/mail-templates${path}`, body);

/** Queues mails by handling an event. */
async function take(name: string, data: object): Promise<void> {
  const event: EventMessage = {
    id: newId('event'),
    name,
    createdAt: new Date().toISOString(),
    storeId,
    data: JSON.stringify(data),
  };
  const context = {
    write: (work: (write: object) => Promise<unknown>) => db.transaction().execute((trx) => work({ trx })),
  } as unknown as Context;
  await queueCustomerMails(context, [event, event]);
}

/** Queues the mail about a new form submission. Returns the id of the submission. */
async function submitForm(values: Record<string, string>): Promise<string> {
  const id = newId('formSubmission');
  submitted.set(id, values);
  await take('content.form.submitted', { formSubmission: { id, values } });
  return id;
}

function newOrder(email: string, change: Partial<MailedOrder> & { locale?: string } = {}): Order {
  const { order } = sampleSubject('orderPlaced', 'en', 'EUR');
  const { locale = 'en', ...rest } = change;
  const own: Order = {
    ...order!,
    id: newId('order'),
    locale,
    customer: { ...order!.customer, email, name: 'evil.example Ada' },
  };
  mailed.set(own.id, {
    order: own,
    token: 'tok',
    part: null,
    notifies: true,
    isPaidAtProvider: false,
    ...rest,
  });
  return own;
}

describe('every default', () => {
  const renderer = createMailRenderer();
  afterAll(() => renderer.close());

  test.each(shopLanguages)(
    'in %s renders for each kind, with the same markup in every language',
    async (language) => {
      for (const kind of mailKinds) {
        const store = { name: 'Adas', url: 'https://shop.example/' };
        const mail = await renderer.render('str_a', false, {
          template: defaultTemplate(kind, language),
          data: buildTemplateData(kind, sampleSubject(kind, language, 'EUR'), store),
          liquid: { locale: language, currency: 'EUR' },
          frame: {
            language,
            storeName: 'Adas',
            storeUrl: store.url,
            colors: standardColors,
            logoUrl: null,
            reason: 'Because.',
          },
        });
        if ('problem' in mail) throw new Error(`${kind}: ${JSON.stringify(mail.problem)}`);
        expect(mail.text).not.toMatch(/\{[{%]|undefined|NaN|<\/?p>/);
        expect(mail.subject).not.toMatch(/\{[{%]|undefined/);
        expect(mail.html).toContain('prefers-color-scheme:dark');
        expect(mail.html).toContain('max-width:600px');
        const english = defaultTemplate(kind, 'en').body;
        const findTags = (html: string) => html.match(/<\w+|\{%-?\s*\w+/g);
        if (kind !== 'returnUpdated' && language !== 'it' && language !== 'nl')
          expect(findTags(defaultTemplate(kind, language).body)).toEqual(findTags(english));
      }
    },
  );
});

describe('templates', () => {
  test('are listed in all languages or one, changed, and reset', async () => {
    const all = await templates('get');
    expect(all.body.mailTemplates).toHaveLength(mailKinds.length * shopLanguages.length);
    expect(all.body.total).toBe(mailKinds.length * shopLanguages.length);
    const german = (await templates('get', '?locale=de-DE')).body.mailTemplates;
    expect(german.map(({ kind }: { kind: string }) => kind)).toEqual(mailKinds);
    const enabled = german.filter(({ isEnabled }: { isEnabled: boolean }) => !isEnabled);
    expect(enabled.map(({ kind }: { kind: string }) => kind)).toEqual(['documentIssued']);
    const path = '/orderShipped?locale=de';
    const before = (await templates('get', path)).body;
    expect(before.mailTemplate).toMatchObject({ kind: 'orderShipped', locale: 'de', isDefault: true });
    const change = { subject: 'Los geht es', body: '<p>{{ order.number }}</p>', isEnabled: false };
    const saved = await templates('put', path, change);
    expect(saved.body.mailTemplate).toEqual({
      kind: 'orderShipped',
      locale: 'de',
      ...change,
      isDefault: false,
    });
    expect((await templates('get', path)).body).toEqual(saved.body);
    expect((await templates('get', '/orderShipped?locale=en')).body.mailTemplate.isDefault).toBe(true);
    expect((await templates('put', path, before.mailTemplate)).body).toEqual(before);
    await templates('put', path, change);
    expect((await templates('delete', path)).status).toBe(204);
    expect((await templates('get', path)).body).toEqual(before);
  });

  test('with a mistake are refused with its place, and so are those that never end', async () => {
    const wrong: [object, string, number, number][] = [
      [{ body: 'a\n{% if %}' }, '/body', 2, 6],
      [{ subject: '{{ order.number | shout }}' }, '/subject', 1, 1],
    ];
    for (const [body, pointer, line, column] of wrong) {
      const res = await templates('put', '/refunded?locale=en', body);
      expect(res).toMatchObject({
        status: 400,
        body: { code: 'invalid_template', details: [{ pointer, line, column }] },
      });
    }
    for (const body of [
      '{% for i in (1..100000000) %}x{% endfor %}',
      '{% for i in (1..9999) %}{% for j in (1..9999) %}{% endfor %}{% endfor %}',
      '{% assign a = "aaaaaaaaaa" %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}{{ a }}',
      '{% include "/etc/passwd" %}',
      '{% render "x" %}',
    ])
      expect((await templates('post', '/refunded/preview', { body })).body.code).toBe('invalid_template');
    const { error } = (await templates('post', '/refunded/preview', { body: '{% render "x" %}' })).body;
    expect(error).toContain('tag "render" not found');
  });

  test('show a mail’s subject with the lines of the previewed order', async () => {
    const order = newOrder('a@example.com');
    const own = {
      ...order,
      lineItems: [{ ...order.lineItems[0]!, name: 'Rooibos', variantId: newId('variant') }],
    };
    mailed.set(own.id, { ...mailed.get(order.id)!, order: own });
    const preview = async (kind: string) =>
      (await templates('post', `/${kind}/preview`, { locale: 'en', orderId: own.id })).body.text as string;
    for (const kind of ['orderShipped', 'orderDelivered', 'returnUpdated'])
      expect(await preview(kind)).toContain('2 × Rooibos');
    expect(await preview('orderShipped')).toContain('DHL 0034');
    const refunded = await preview('refunded');
    expect(refunded).toContain('€12.80');
    expect(refunded).not.toContain('Reason');
  });

  test.each(shopLanguages)(
    'in %s show each discount of an order once, so that its sums add up',
    async (locale) => {
      const order = newOrder('a@example.com');
      const tea = { id: newId('discount'), title: 'Tea', code: 'TEA5', amountCents: 500 };
      const sent = { id: newId('discount'), title: 'Free shipping', code: null, amountCents: 490 };
      const [first, second] = order.lineItems;
      const own = {
        ...order,
        lineItems: [
          { ...first!, discountCents: 500, totalCents: 1_280 },
          { ...second!, discountCents: 0 },
        ],
        discounts: [tea, sent],
        discountCents: 500,
        shippingCents: 0,
        totalCents: 6_180,
      };
      mailed.set(own.id, { ...mailed.get(order.id)!, order: own });
      const { text } = (await templates('post', '/orderPlaced/preview', { locale, orderId: own.id })).body;
      const amounts = [...(text as string).matchAll(/[-−]?(?:\u00A0|€)?\s*\d+[.,]\d\d/g)].map(
        ([amount]) => Number(amount.replace(/[^\d]/g, '')) * (/^[-−]/.test(amount) ? -1 : 1),
      );
      expect(amounts.slice(0, 5)).toEqual([1_780, 4_900, -500, -490, 490]);
      expect(amounts.at(-1)).toBe(6_180);
    },
  );

  test('write rates, labels and what saved nothing as their language does', async () => {
    const order = newOrder('a@example.com');
    const unused = { id: newId('discount'), title: 'Free shipping', code: null, amountCents: 0 };
    const own = {
      ...order,
      taxLines: [{ name: 'MwSt.', percent: '8.1', baseCents: 6_170, taxCents: 500 }],
      discounts: [...order.discounts, unused],
    };
    mailed.set(own.id, { ...mailed.get(order.id)!, order: own });
    const preview = async (kind: string, locale: string) =>
      (await templates('post', `/${kind}/preview`, { locale, orderId: own.id })).body;
    const german = await preview('orderPlaced', 'de');
    expect(german.html).toContain('inkl. 8,1&nbsp;% MwSt.');
    expect(german.text).not.toContain('Free shipping');
    const french = await preview('orderPlaced', 'fr');
    expect(french.text).toContain('Voir la commande\u00A0: https://');
    expect((await preview('paymentReceived', 'fr')).html).toContain('Montant payé&nbsp;: ');
  });

  test('that are no kind or language are refused, and only managers write', async () => {
    expect((await templates('get', '/nothing')).status).toBe(404);
    expect((await templates('get', '/refunded?locale=pt')).body.code).toBe('invalid_body');
    const viewer = client.as(owner, storeId, 'viewer').call;
    const path = `/api/stores/${storeId}/mail-templates/refunded`;
    expect((await viewer('get', path)).status).toBe(200);
    expect((await viewer('put', path, {})).body.code).toBe('insufficient_role');
    expect((await viewer('post', `${path}/preview`, {})).body.code).toBe('insufficient_role');
  });

  test('show a preview in which nothing runs, with the logo and colours of the store', async () => {
    const body =
      '<script>alert(1)</script><p onclick="x">{{ name }}</p><img src="javascript:1"><p>{{ "<b>" }}{{ "<i>" | raw }}</p>';
    const preview = await templates('post', '/orderPlaced/preview', { locale: 'fr', body });
    expect(preview.status).toBe(200);
    expect(preview.body.html).not.toMatch(/<script|onclick|javascript:/);
    expect(preview.body.html).toContain('&lt;b&gt;');
    expect(preview.body.html).toContain('#123456');
    expect(preview.body.html).not.toContain('red;}');
    expect(preview.body.html).toContain('src="data:image/png;base64,');
    const order = newOrder('a@example.com');
    const own = await templates('post', '/orderPlaced/preview', {
      orderId: order.id,
      body: '<p>{{ name }}</p>',
    });
    expect(own.body.text).toContain('evil. example Ada');
    expect((await templates('post', '/orderPlaced/preview', { orderId: newId('order') })).status).toBe(404);
  });

  test('are stored as written, and the answer lists what mails omit', async () => {
    const path = '/returnUpdated?locale=es';
    const body = '<script>alert(1)</script><p onclick="x">{{ name }}</p>';
    const saved = await templates('put', path, { body });
    expect(saved).toMatchObject({ status: 200, body: { mailTemplate: { body } } });
    expect(saved.body.warnings).toEqual([{ code: 'script_removed', message: expect.any(String), count: 2 }]);
    const read = await templates('get', path);
    expect([read.body.mailTemplate.body, read.body.warnings]).toEqual([body, undefined]);
    expect(read.headers.etag).toBe(saved.headers.etag);
    const clean = await templates('put', path, { body: '<p>{{ name }}</p>' });
    expect(clean.body).not.toHaveProperty('warnings');
    await templates('delete', path);
  });

  test('are tried out by a mail to oneself', async () => {
    const { status } = await templates('post', '/orderDelivered/test', {
      locale: 'nl',
      subject: 'Proef {{ order.number }}',
    });
    expect(status).toBe(202);
    await eventually(async () =>
      (await listMailsTo(system.dataDir, owner.email)).some((mail) => mail.includes('Proef 1042')),
    );
  });
});

test('the sender is the store, unless another name was set', async () => {
  const settings = (method: 'get' | 'put', body?: object) =>
    client.as(owner, storeId, 'owner').call(method, `/api/stores/${storeId}/mail-settings`, body);
  const { mailSettings } = (await settings('get')).body;
  expect(mailSettings.replyTo).toBeNull();
  const changed = { senderName: 'Adas Tee', replyTo: 'hallo@example.com' };
  expect((await settings('put', changed)).body.mailSettings).toEqual(changed);
  expect((await settings('put', { senderName: null, replyTo: null })).body.mailSettings).toEqual(
    mailSettings,
  );
  expect((await settings('put', { replyTo: 'nobody' })).body.code).toBe('invalid_body');
  expect((await settings('put', { replyTo: ' hallo@example.com' })).body.code).toBe('invalid_body');
  for (const senderName of [' ', '', '\u200b', 'x'.repeat(201)])
    expect((await settings('put', { senderName })).body.code).toBe('invalid_body');
  const longest = 'x'.repeat(200);
  expect((await settings('put', { senderName: ` ${longest} ` })).body.mailSettings.senderName).toBe(longest);
  await settings('put', changed);
});

describe('events', () => {
  const sent = (email: string, count = 1) =>
    eventually(async () => {
      const mails = await listMailsTo(system.dataDir, email);
      return mails.length === count ? mails : null;
    });
  const queued = async (orderId: string) =>
    runSql(system, 'identity', `select state from mail where data->>'orderId' = '${orderId}'`);
  const fulfillment = (orderId: string, status = 'shipped') => ({
    fulfillment: { id: newId('fulfillment'), orderId, status },
  });

  test('have the customer mailed once, in the order’s language, from the store', async () => {
    const sample = sampleSubject('orderShipped', 'de', 'EUR');
    const order = newOrder('lea@example.com', { locale: 'de-CH', part: sample.part });
    await take('orders.fulfillment.created', fulfillment(order.id));
    const [mail] = await sent('lea@example.com');
    expect(mail).toContain('Ihre Bestellung 1042 ist unterwegs');
    expect(mail).toContain('Sendung verfolgen: https://www.dhl.com/');
    expect(mail).toContain('Adas Tee');
    expect(mail).toMatch(/reply-to: hallo@example.com/i);
    expect(mail).toContain('cid:logo');
    await take('orders.fulfillment.updated', fulfillment(order.id, 'shipped'));
    await take('orders.fulfillment.updated', fulfillment(order.id, 'delivered'));
    await sent('lea@example.com', 2);
  });

  test('are listed with their order for its members, and kept longer than other mails', async () => {
    const order = newOrder('listed@example.com');
    const shipped = fulfillment(order.id);
    await take('orders.fulfillment.created', shipped);
    await sent('listed@example.com');
    const list = (id: string, of = storeId) =>
      client.as(owner, of, 'viewer').call('get', `/api/stores/${of}/order-mails/${id}`);
    const { orderMails } = await eventually(async () => {
      const { body } = await list(order.id);
      return body.orderMails[0]?.state === 'sent' ? body : null;
    });
    expect(orderMails).toEqual([
      { kind: 'orderShipped', partId: shipped.fulfillment.id, state: 'sent', at: expect.any(String) },
    ]);
    expect((await list(newId('order'))).body).toEqual({ orderMails: [], total: 0 });
    expect((await list(order.id, newId('store'))).body).toEqual({ orderMails: [], total: 0 });
    const age = (days: number) =>
      runSql(
        system,
        'identity',
        `update mail set settled_at = now() - interval '${days} days' where state = 'sent'`,
      );
    await age(300);
    await deleteOldMails(db, 1_000);
    expect((await list(order.id)).body.total).toBe(1);
    const others = await runSql(
      system,
      'identity',
      `select id from mail where state = 'sent' and order_id is null`,
    );
    expect(others).toEqual([]);
    await age(366);
    await deleteOldMails(db, 1_000);
    expect((await list(order.id)).body.total).toBe(0);
  });

  test('are not sent to erased customers, to those who opted out, or if the store has disabled them', async () => {
    const erased = newOrder('');
    const silent = newOrder('silent@example.com', { notifies: false });
    const document = newOrder('document@example.com', { part: {} });
    await take('orders.order.cancelled', { orderId: erased.id });
    await take('orders.fulfillment.created', fulfillment(silent.id));
    await take('orders.document.issued', { document: { id: newId('document'), orderId: document.id } });
    for (const { id } of [erased, silent, document])
      await eventually(async () => (await queued(id)).length === 0);
    expect(await listMailsTo(system.dataDir, 'silent@example.com')).toEqual([]);
    expect(await listMailsTo(system.dataDir, 'document@example.com')).toEqual([]);
  });

  test('announce a captured payment, and no later changes', async () => {
    const order = newOrder('pays@example.com');
    const payment = (status: string, ...kinds: string[]) => ({
      payment: { orderId: order.id, status, entries: kinds.map((kind) => ({ kind })) },
    });
    await take('orders.payment.updated', payment('pending'));
    await take('orders.payment.updated', payment('authorized', 'authorized'));
    await take('orders.payment.updated', payment('captured', 'authorized', 'captured'));
    await take('orders.payment.updated', payment('disputed', 'authorized', 'captured', 'disputed'));
    await take('orders.payment.updated', payment('partially_refunded', 'captured', 'refunded'));
    const [mail] = await sent('pays@example.com');
    expect(mail).toContain('We received your payment');
    expect(await queued(order.id)).toHaveLength(1);
  });

  test('announce each state of a return, even if the next one follows immediately', async () => {
    const order = newOrder('returns@example.com', { part: { id: 'ret_a', state: 'received', lines: [] } });
    for (const state of ['approved', 'received'])
      await take('orders.return.updated', {
        return: { id: 'ret_a', orderId: order.id, state, updatedAt: '2026-11-20T10:00:00.000Z' },
      });
    const mails = (await sent('returns@example.com', 2)).join();
    expect(mails).toContain('Your return has been approved');
    expect(mails).toContain('Your return has arrived');
  });

  test('of forms are sent to the address that was entered there', async () => {
    await submitForm({ 'E-Mail': 'Wrote@Example.com', message: 'Hi' });
    await submitForm({ message: 'nobody@example.com' });
    const [mail] = await sent('wrote@example.com');
    expect(mail).toContain('we received your message');
    expect(await listMailsTo(system.dataDir, 'nobody@example.com')).toEqual([]);
  });

  test('are mailed by the default where a template fails with an order', async () => {
    const body =
      '{% if order.number == 1042 %}<p>ok</p>{% else %}{% for i in (1..100000000) %}{% endfor %}{% endif %}';
    expect((await templates('put', '/orderCancelled?locale=en', { body })).status).toBe(200);
    const order = newOrder('fails@example.com');
    Object.assign(mailed.get(order.id)!.order, { number: 7 });
    await take('orders.order.cancelled', { orderId: order.id });
    const [mail] = await sent('fails@example.com');
    expect(mail).toContain('Order #7 has been cancelled');
  });
});

test('mails about orders that were paid at a provider do not count for a new store’s day', async () => {
  await runSql(
    system,
    'identity',
    `insert into outsider_mail_day (sender_id, day, addresses)
     select '${storeId}', (now() at time zone 'UTC')::date, array_agg(n::text) from generate_series(1, 50) n
     on conflict (sender_id, day) do update set addresses = excluded.addresses`,
  );
  const [paid, unpaid] = [
    newOrder('paid@example.com', { isPaidAtProvider: true }),
    newOrder('unpaid@example.com'),
  ];
  for (const { id } of [paid, unpaid]) await take('orders.order.cancelled', { orderId: id });
  await eventually(async () => (await listMailsTo(system.dataDir, 'paid@example.com')).length === 1);
  const waiting = await eventually(async () => {
    const rows = await runSql(
      system,
      'identity',
      `select id from mail where data->>'orderId' = '${unpaid.id}' and state = 'queued' and due_at > now() + interval '1 minute'
       or data->>'orderId' = '${unpaid.id}' and state = 'queued' and not is_leased and due_at > now()`,
    );
    return rows.length === 1 ? rows : null;
  });
  expect(waiting).toHaveLength(1);
  expect(await listMailsTo(system.dataDir, 'unpaid@example.com')).toEqual([]);
});

test('a waiting mail about a form holds no address, and is dropped once its sender was erased', async () => {
  await runSql(
    system,
    'identity',
    `insert into outsider_mail_day (sender_id, day, addresses)
     select '${storeId}', (now() at time zone 'UTC')::date, array_agg(n::text) from generate_series(1, 50) n
     on conflict (sender_id, day) do update set addresses = excluded.addresses`,
  );
  const mailsAbout = (id: string, where = 'true') =>
    runSql(
      system,
      'identity',
      `select to_json(mail)::text as mail from mail where data->>'formSubmissionId' = '${id}' and ${where}`,
    );
  const id = await submitForm({ email: 'erased-writer@example.com' });
  const waiting = await eventually(async () => {
    const rows = await mailsAbout(id, "not is_leased and due_at > now() + interval '1 minute'");
    return rows.length === 1 ? rows : null;
  });
  expect(JSON.stringify(waiting)).not.toContain('erased-writer');
  submitted.set(id, {});
  await runSql(system, 'identity', `delete from outsider_mail_day where sender_id = '${storeId}'`);
  await runSql(system, 'identity', `update mail set due_at = now() where state = 'queued'`);
  await eventually(async () => (await mailsAbout(id)).length === 0);

  const late = newId('formSubmission');
  submitted.set(late, {});
  await take('content.form.submitted', {
    formSubmission: { id: late, values: { email: 'erased-writer@example.com' } },
  });
  await eventually(async () => (await mailsAbout(late)).length === 0);
  expect(await listMailsTo(system.dataDir, 'erased-writer@example.com')).toEqual([]);
});
