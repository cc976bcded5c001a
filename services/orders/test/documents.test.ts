import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import { newId, type Principal, type Role } from '@waybill/contracts';
import { createStubService, eventually, runSql } from '@waybill/testing';
import { SaxesParser } from 'saxes';
import request from 'supertest';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

/** One grey pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

const logoId = newId('mediaAsset');
const media = createStubService('media', {
  'POST /internal/assets/logo': ({ body }: { body: { id: string } }) => (body.id === logoId ? { png } : null),
});

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders({ PUBLIC_BASE_URL: 'https://waybill.example/' }, [media]);
});
afterAll(() => system.stop());

const seller = {
  name: 'Adas Tee GmbH',
  line1: 'Müllerstraße 1',
  city: 'Berlin',
  postalCode: '13353',
  country: 'DE',
  vatId: 'DE136695976',
};

function newShop() {
  const store = newStore(system);
  async function settings(method: 'get' | 'put', body?: object, role: Role = 'admin') {
    const member: Principal = {
      kind: 'user',
      userId: newId('user'),
      email: 'a@example.com',
      storeId: store.storeId,
      role,
    };
    const call = request(system.internalUrl)
      [method](`/api/stores/${store.storeId}/documents/settings`)
      .set(await system.as(member));
    return body ? call.send(body) : call;
  }
  const issue = (orderId: string, body: object) => store.send('post', `orders/${orderId}/documents`, body);
  return { ...store, settings, issue };
}

const getPath = (url: string) => url.replace('https://waybill.example', '');
const getFile = (url: string) => request(system.internalUrl).get(getPath(url)).responseType('blob');

/** Returns the texts of an XML document by the names of their elements. */
function parseTexts(xml: string): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  let name = '';
  const parser = new SaxesParser();
  parser.on('opentag', (tag) => {
    name = tag.name;
  });
  parser.on('text', (text) => {
    if (text.trim() !== '') texts.set(name, [...(texts.get(name) ?? []), text]);
  });
  parser.write(xml).close();
  return texts;
}

/** Returns the streams of a PDF, inflated if necessary. */
function readStreams(pdf: Buffer): string {
  const text = pdf.toString('latin1');
  const streams = [...text.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].map(([, bytes]) => {
    try {
      return inflateSync(Buffer.from(bytes!, 'latin1')).toString('utf8');
    } catch {
      return Buffer.from(bytes!, 'latin1').toString('utf8');
    }
  });
  return streams.join('\n');
}

describe('settings of documents', () => {
  test('have defaults, keep omitted fields, and accept their own answers', async () => {
    const shop = newShop();
    const { body } = await shop.settings('get');
    expect(body.settings).toMatchObject({
      invoicePattern: 'INV-{year}-{number}',
      creditNotePattern: 'CN-{year}-{number}',
      invoices: 'manual',
      logoMediaId: null,
      locale: 'en',
    });
    expect(await shop.settings('put', body.settings)).toMatchObject({ status: 200, body });
    const changed = await shop.settings('put', { seller, footer: 'HRB 1', locale: 'DE-de' });
    expect(changed.body.settings).toMatchObject({
      seller: { ...seller, line2: '', taxNumber: '' },
      footer: 'HRB 1',
      locale: 'de-DE',
    });
    const again = await shop.settings('put', { seller: { city: 'Köln', vatId: null } });
    expect(again.body.settings).toMatchObject({ seller: { name: seller.name, city: 'Köln', vatId: '' } });
    expect((await shop.settings('get')).body).toEqual(again.body);
  });

  test('refuse a pattern without a number, and invalid addresses, tags and images', async () => {
    const shop = newShop();
    for (const [body, pointer] of [
      [{ invoicePattern: 'INV-{year}' }, '/invoicePattern'],
      [{ creditNotePattern: 'CN-{number}-{month}' }, '/creditNotePattern'],
      [{ seller: { email: 'nobody' } }, '/seller/email'],
      [{ seller: { email: ' ada@example.com' } }, '/seller/email'],
      [{ seller: { name: ' ' } }, '/seller/name'],
      [{ seller: { name: '\u200b' } }, '/seller/name'],
      [{ seller: { country: 'XX' } }, '/seller/country'],
      [{ locale: '!' }, '/locale'],
      [{ logoMediaId: newId('mediaAsset') }, '/logoMediaId'],
      [{ invoices: 'never' }, '/invoices'],
    ] as const) {
      const res = await shop.settings('put', body);
      expect(res).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
      expect(res.body.details.map((problem: { pointer: string }) => problem.pointer)).toContain(pointer);
    }
    expect((await shop.settings('put', { logoMediaId: logoId })).body.settings.logoMediaId).toBe(logoId);
    expect((await shop.settings('put', { logoMediaId: null })).body.settings.logoMediaId).toBeNull();
  });

  test('are for admins', async () => {
    const shop = newShop();
    for (const role of ['viewer', 'editor'] as const) {
      expect((await shop.settings('get', undefined, role)).body.code).toBe('insufficient_role');
      expect((await shop.settings('put', {}, role)).body.code).toBe('insufficient_role');
    }
  });
});

describe('a document', () => {
  test('needs the seller’s data, except for a packing slip', async () => {
    const shop = newShop();
    const { id } = await shop.order(900);
    const refused = await shop.issue(id, { kind: 'invoice' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'seller_incomplete' } });
    expect(refused.body.details.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/seller/name',
      '/seller/line1',
      '/seller/city',
      '/seller/country',
      '/seller/vatId',
    ]);
    expect(await shop.issue(id, { kind: 'packingSlip' })).toMatchObject({
      status: 201,
      body: { document: { kind: 'packingSlip', number: null, xmlUrl: null } },
    });
    await shop.settings('put', { seller: { ...seller, vatId: '', taxNumber: '12/345/67890' } });
    expect((await shop.issue(id, { kind: 'invoice' })).body.document.number).toMatch(/^INV-\d{4}-1$/);
  });

  test('is issued once, emits an event, and is served to anybody with its address', async () => {
    const shop = newShop();
    await shop.settings('put', {
      seller,
      invoicePattern: 'R{number}/{year}',
      locale: 'de',
      logoMediaId: logoId,
    });
    const order = await shop.order(900, {
      name: 'Zoë Łódź Чайник',
      shippingAddress: {
        name: 'Zoë',
        line1: 'Hauptstr. 5',
        city: 'München',
        postalCode: '80331',
        country: 'DE',
      },
    });
    const issued = await shop.issue(order.id, { kind: 'invoice' });
    expect(issued.status).toBe(201);
    const { document } = issued.body;
    expect(document).toMatchObject({
      id: expect.stringMatching(/^doc_/),
      orderId: order.id,
      kind: 'invoice',
      number: `R1/${new Date().getUTCFullYear()}`,
      url: expect.stringMatching(`^https://waybill.example/storefront/${shop.storeId}/documents/.{40,}$`),
      xmlUrl: `${document.url}/xml`,
    });
    expect(await shop.issue(order.id, { kind: 'invoice' })).toMatchObject({
      status: 200,
      body: { document },
    });
    expect((await shop.send('get', `orders/${order.id}/documents/${document.id}`)).body).toEqual({
      document,
    });
    expect((await shop.send('get', `orders/${order.id}/documents`)).body).toMatchObject({
      documents: [document],
      total: 1,
      nextCursor: null,
    });
    await eventually(() => shop.events('orders.document.issued').length > 0);
    expect(shop.events('orders.document.issued').map(({ data }) => data)).toEqual([{ document }]);

    const pdf = await getFile(document.url);
    expect(pdf.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': expect.stringContaining('.pdf'),
    });
    expect(pdf.body.subarray(0, 5).toString()).toBe('%PDF-');
    const streams = readStreams(pdf.body);
    expect(streams).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(streams).toContain('<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>');
    const xml = await request(system.internalUrl).get(getPath(document.xmlUrl)).responseType('blob');
    expect(xml.headers['content-type']).toContain('application/xml');
    expect(streams).toContain(xml.body.toString());
    const texts = parseTexts(xml.body.toString());
    expect(texts.get('ram:TypeCode')![0]).toBe('380');
    expect(texts.get('ram:ID')![1]).toBe(document.number);
    expect(texts.get('ram:GrandTotalAmount')).toEqual(['9.00']);
    expect(texts.get('ram:DuePayableAmount')).toEqual(['9.00']);
  });

  test('never changes with the order, the settings or the customer', async () => {
    const shop = newShop();
    await shop.settings('put', { seller });
    const order = await shop.order(900);
    const { document } = (await shop.issue(order.id, { kind: 'invoice' })).body;
    const before = await getFile(document.url);
    await shop.settings('put', { seller: { name: 'Another' }, footer: 'new' });
    await shop.patch(order.id, { payment: 'paid', status: 'cancelled' });
    await runSql(system, 'orders', `update "order" set customer_name = '' where id = '${order.id}'`);
    expect((await getFile(document.url)).body.equals(before.body)).toBe(true);
    expect((await shop.send('get', `orders/${order.id}/documents/${document.id}`)).body.document).toEqual(
      document,
    );
  });

  test('is hidden from others', async () => {
    const [shop, other] = [newShop(), newShop()];
    await shop.settings('put', { seller });
    const { id } = await shop.order(1);
    const { document } = (await shop.issue(id, { kind: 'invoice' })).body;
    const wrong = document.url.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'));
    for (const url of [
      wrong,
      `${wrong}/xml`,
      document.url.replace(shop.storeId, other.storeId),
      `${document.url}x`,
    ])
      expect((await getFile(url)).status).toBe(404);
    expect((await other.send('get', `orders/${id}/documents`)).status).toBe(404);
    expect((await other.send('get', `orders/${id}/documents/${document.id}`)).status).toBe(404);
    expect((await other.issue(id, { kind: 'packingSlip' })).status).toBe(404);
    expect(
      (await shop.sendAs(['orders.read'], 'post', `orders/${id}/documents`, { kind: 'invoice' })).status,
    ).toBe(403);
    expect((await shop.sendAs(['orders.write'], 'get', `orders/${id}/documents`)).status).toBe(403);
    expect((await shop.send('delete', `orders/${id}/documents/${document.id}`)).status).toBe(405);
    expect((await shop.send('patch', `orders/${id}/documents/${document.id}`, {})).status).toBe(405);
  });

  test('is reached by an address whose secret is stored only as a hash', async () => {
    const shop = newShop();
    await shop.settings('put', { seller });
    const order = await shop.order(900);
    const { document } = (await shop.issue(order.id, { kind: 'invoice' })).body;
    const secretOf = (url: string) => url.slice(-22);
    const isStored = async (secret: string) => {
      const rows = await runSql(
        system,
        'orders',
        `select from document d where id = '${document.id}' and position('${secret}' in d::text) > 0`,
      );
      return rows.length > 0;
    };
    const read = async () =>
      (await shop.send('get', `orders/${order.id}/documents/${document.id}`)).body.document;
    const opens = async (url: string) => (await getFile(url)).status === 200;
    expect(await isStored(document.id)).toBe(true);
    expect(await isStored(secretOf(document.url))).toBe(false);
    expect(await read()).toEqual(document);

    // Restores the form that an earlier version wrote.
    const old = 'Zm9vYmFyYmF6cXV4MTIzNA';
    const oldUrl = document.url.replace(secretOf(document.url), old);
    await runSql(
      system,
      'orders',
      `update document set secret = '${old}', secret_hashes = null where id = '${document.id}'`,
    );
    expect((await read()).url).toBe(oldUrl);
    expect([await opens(oldUrl), await opens(document.url)]).toEqual([true, false]);
    await system.restart();
    await eventually(async () => !(await isStored(old)));
    expect(await opens(oldUrl)).toBe(true);

    // From now on, answers give another address; after the key is replaced, one more. All stay valid.
    expect(await read()).toEqual(document);
    const newKey = randomBytes(32).toString('base64url');
    const keys = `new:${newKey},old:${system.serviceToken}`;
    await system.restart({ WAYBILL_SERVICE_TOKEN: undefined, WAYBILL_SERVICE_TOKENS: keys });
    expect(await read()).toEqual(document);
    await system.restart({ WAYBILL_SERVICE_TOKENS: `new:${newKey}` });
    const { url } = await read();
    expect(url).not.toBe(document.url);
    const listed = (await shop.send('get', `orders/${order.id}/documents`)).body.documents;
    expect(listed.map((each: { url: string }) => each.url)).toEqual([url]);
    for (const each of [oldUrl, document.url, url]) expect(await opens(each)).toBe(true);
    expect(await opens(url.replace(secretOf(url), 'A'.repeat(22)))).toBe(false);
    await system.restart({ WAYBILL_SERVICE_TOKENS: undefined, WAYBILL_SERVICE_TOKEN: system.serviceToken });
  });

  test('of a refund needs the refund, and an invoice before it', async () => {
    const shop = newShop();
    await shop.settings('put', { seller });
    const { id } = await shop.order(900);
    expect(await shop.issue(id, { kind: 'creditNote' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_body', details: [{ pointer: '/refundId' }] },
    });
    const credit = (refundId: string) => shop.issue(id, { kind: 'creditNote', refundId });
    // An unknown refund is reported as such, with or without an invoice.
    for (const unknown of ['rfd_1', newId('refund')]) expect((await credit(unknown)).status).toBe(404);
    await shop.patch(id, { payment: 'paid' });
    const { refund } = (await shop.send('post', `orders/${id}/refunds`, { amountCents: 100 })).body;
    expect(await credit(refund.id)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    await shop.issue(id, { kind: 'invoice' });
    expect((await credit('rfd_1')).status).toBe(404);
    expect((await credit(refund.id)).status).toBe(201);
    expect((await shop.issue(id, { kind: 'receipt' })).body.code).toBe('invalid_body');
  });
});

describe('a credit note', () => {
  const paidOrder = async (shop: ReturnType<typeof newShop>, totalCents: number) => {
    const order = await shop.order(totalCents);
    await shop.patch(order.id, { payment: 'paid' });
    return order;
  };
  const refund = async (shop: ReturnType<typeof newShop>, id: string, body: object) => {
    const res = await shop.send('post', `orders/${id}/refunds`, body);
    expect(res.status).toBe(201);
    return res.body.refund;
  };

  test('states what a refund returned, once, and names the invoice', async () => {
    const shop = newShop();
    await shop.settings('put', { seller, creditNotePattern: 'G{number}' });
    const { id } = await paidOrder(shop, 900);
    const { document: invoice } = (await shop.issue(id, { kind: 'invoice' })).body;
    const { id: refundId } = await refund(shop, id, { amountCents: 250 });
    const issued = await shop.issue(id, { kind: 'creditNote', refundId });
    expect(issued).toMatchObject({
      status: 201,
      body: { document: { kind: 'creditNote', number: 'G1', refundId } },
    });
    const again = await shop.issue(id, { kind: 'creditNote', refundId });
    expect([again.status, again.body]).toEqual([200, issued.body]);
    const xml = await request(system.internalUrl)
      .get(getPath(issued.body.document.xmlUrl))
      .responseType('blob');
    const texts = parseTexts(xml.body.toString());
    expect(texts.get('ram:TypeCode')![0]).toBe('381');
    expect(texts.get('ram:GrandTotalAmount')).toEqual(['2.50']);
    expect(texts.get('ram:IssuerAssignedID')).toContain(invoice.number);
  });

  test('is issued by itself for a refund of an order that has an invoice', async () => {
    const shop = newShop();
    await shop.settings('put', { seller, invoices: 'automatic' });
    const { id } = await paidOrder(shop, 900);
    const kinds = async () =>
      (await shop.send('get', `orders/${id}/documents`)).body.documents.map(
        ({ kind }: { kind: string }) => kind,
      );
    await eventually(async () => (await kinds()).length === 1);
    await refund(shop, id, { amountCents: 100 });
    await eventually(async () => (await kinds()).length === 2);
    expect(await kinds()).toEqual(['creditNote', 'invoice']);
  });
});

const killAll = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and query like '%document%'`;

test('numbers have no gaps and no duplicates, with 50 simultaneous issuers and killed connections', async () => {
  const shop = newShop();
  await shop.settings('put', { seller, invoicePattern: '{number}' });
  const orders = await Promise.all(Array.from({ length: 50 }, () => shop.order(1)));
  let isOver = false;
  const killing = (async () => {
    for (; !isOver; await sleep(20)) await runSql(system, 'orders', killAll).catch(() => {});
  })();
  const stop = sleep(600).then(() => {
    isOver = true;
  });
  let refused = 0;
  const issueUntilDone = async (id: string) => {
    for (let tries = 0; tries < 200; tries++) {
      const { status, body } = await shop.issue(id, { kind: 'invoice' });
      if (status === 200 || status === 201) return Number(body.document.number);
      refused += 1;
      await sleep(10);
    }
    throw new Error('never issued');
  };
  const numbers = await Promise.all(orders.map(({ id }) => issueUntilDone(id)));
  isOver = true;
  await Promise.all([killing, stop]);
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  expect(refused).toBeGreaterThan(0);
});

test('fifty simultaneous requests for the invoice of one order get the same one', async () => {
  const shop = newShop();
  await shop.settings('put', { seller });
  const { id } = await shop.order(1);
  const answers = await Promise.all(Array.from({ length: 50 }, () => shop.issue(id, { kind: 'invoice' })));
  expect(new Set(answers.map(({ body }) => body.document.id)).size).toBe(1);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
});

describe('automatic invoices', () => {
  const listDocuments = async (shop: ReturnType<typeof newShop>, id: string) =>
    (await shop.send('get', `orders/${id}/documents`)).body.documents;

  test('are issued when an order is paid, and only then', async () => {
    const shop = newShop();
    const [before, paid, open] = [await shop.order(1), await shop.order(1), await shop.order(1)];
    await shop.patch(before.id, { payment: 'paid' });
    await shop.settings('put', { seller, invoices: 'automatic' });
    await shop.patch(before.id, { fulfillment: 'fulfilled' });
    await shop.patch(paid.id, { payment: 'paid' });
    await eventually(async () => (await listDocuments(shop, paid.id)).length === 1);
    expect(await listDocuments(shop, paid.id)).toMatchObject([{ kind: 'invoice' }]);
    expect(await listDocuments(shop, before.id)).toEqual([]);
    expect(await listDocuments(shop, open.id)).toEqual([]);
  });

  test('wait for the seller’s data, of which the admins are mailed once a day', async () => {
    const shop = newShop();
    await shop.settings('put', { invoices: 'automatic' });
    const orders = [await shop.order(1), await shop.order(1)];
    for (const { id } of orders) await shop.patch(id, { payment: 'paid' });
    await eventually(() => shop.events('mail.requested').length > 0);
    await eventually(async () => {
      const rows = await runSql(
        system,
        'orders',
        `select from document_request where store_id = '${shop.storeId}' and due_at > now()`,
      );
      return rows.length === 2;
    });
    expect(shop.events('mail.requested').map(({ data }) => data)).toEqual([
      {
        mail: { template: 'sellerIncomplete', data: { orderNumber: expect.stringMatching(/^[12]$/) } },
        audience: { storeAdmins: shop.storeId },
      },
    ]);
    await shop.settings('put', { seller });
    for (const { id } of orders) await eventually(async () => (await listDocuments(shop, id)).length === 1);
  });
});
