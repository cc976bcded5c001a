import { permissions } from '@waybill/contracts';
import { eventually, listMailsTo } from '@waybill/testing';
import { expectStatus, newKey, newPerson, newStore, type Person, verify } from '../../testing/accounts.ts';
import { createCaller, send } from '../../testing/client.ts';
import { download, formOf, noisyPng, upload } from '../../testing/uploads.ts';
import { type SharedSystem, topologies } from './topologies.ts';

describe.each(topologies)('$name', ({ share }) => {
  let system: SharedSystem;
  let owner: Person;
  beforeAll(async () => {
    system = await share();
    owner = await newPerson(system.baseUrl);
    await verify(owner);
  });

  const fileAt = (url: string) => download(new URL(new URL(url).pathname, system.baseUrl).href);

  test('a paid order gets an invoice, which the customer can read without a credential', async () => {
    const storeId = await newStore(owner);
    const below = `/api/stores/${storeId}`;
    const { secret } = await newKey(owner, storeId, permissions);
    const key = createCaller(system.baseUrl, secret);
    const put = async (path: string, body: object) =>
      expectStatus(await owner.call('PUT', `${below}/${path}`, body), 200).body;
    const logo = await upload(system.baseUrl, secret, formOf([noisyPng(300, 90)], 'logo.png'));
    await put('taxes', {
      homeCountry: 'DE',
      rates: [{ country: 'DE', category: 'standard', name: 'MwSt.', percent: '19' }],
    });
    const seller = { name: 'Adas Tee', line1: 'Weg 1', city: 'Berlin', country: 'DE', vatId: 'DE136695976' };
    const { settings } = await put('documents/settings', {
      seller,
      invoices: 'automatic',
      logoMediaId: logo.body.media.id,
      invoicePattern: 'RE-{number}',
    });
    expect(settings.logoMediaId).toBe(logo.body.media.id);
    await put('mail-templates/orderPlaced?locale=de', { subject: 'Danke für {{ order.number }}' });
    await put('mail-templates/documentIssued?locale=de', { isEnabled: true });

    const input = { name: 'Tee', status: 'active', variants: [{ priceCents: 1190, stock: 9 }] };
    const { product } = expectStatus(await key('POST', '/api/v1/products', input), 201).body;
    const email = `buyer-${storeId.slice(4)}@example.com`;
    const json = {
      items: [{ variantId: product.variants[0].id, quantity: 2 }],
      customer: { name: 'Zoë', email, shippingAddress: { line1: 'Ring 2', city: 'Köln', country: 'DE' } },
      locale: 'de-DE',
    };
    const headers = { 'idempotency-key': 'order-1' };
    const placed = await send(system.baseUrl, 'POST', `/storefront/${storeId}/orders`, { headers, json });
    const { order } = expectStatus(placed, 201).body;
    expectStatus(await key('PATCH', `/api/v1/orders/${order.id}`, { payment: 'paid' }), 200);
    const path = `/api/v1/orders/${order.id}/documents`;
    const document = await eventually(async () => (await key('GET', path)).body.documents[0]);
    expect(document).toMatchObject({ kind: 'invoice', number: 'RE-1', orderId: order.id });
    const again = expectStatus(await key('POST', path, { kind: 'invoice' }), 200);
    expect(again.body.document).toEqual(document);
    const [pdf, xml] = [await fileAt(document.url), await fileAt(document.xmlUrl)];
    expect([pdf.status, xml.status]).toEqual([200, 200]);
    expect(pdf.bytes.subarray(0, 8).toString()).toBe('%PDF-1.7');
    const text = xml.bytes.toString();
    expect(text).toContain('<ram:GrandTotalAmount>23.80</ram:GrandTotalAmount>');
    expect(text).toContain('<ram:TaxTotalAmount currencyID="EUR">3.80</ram:TaxTotalAmount>');
    expect(text).toContain('<ram:DuePayableAmount>0.00</ram:DuePayableAmount>');
    expect((await fileAt(document.url)).bytes.equals(pdf.bytes)).toBe(true);

    const mails = await eventually(async () => {
      const found = await listMailsTo(system.dataDir, email);
      return found.length === 3 ? found : null;
    });
    const subjects = mails.join('\n');
    expect(subjects).toContain('Gesamtbetrag: 23,80');
    expect(subjects).toContain(document.url);
    const slip = expectStatus(
      await owner.call('POST', `${below}/orders/${order.id}/documents`, { kind: 'packingSlip' }),
      201,
    );
    const issued = (await owner.call('GET', `${below}/audit?action=document.issued`)).body.entries;
    expect(issued).toMatchObject([
      { actor: { type: 'user', id: owner.userId }, target: { id: slip.body.document.id, name: null } },
      { actor: { type: 'system' }, target: { id: document.id, name: 'RE-1' } },
    ]);
  });
});
