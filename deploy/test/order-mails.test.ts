import { newId } from '@waybill/contracts';
import { eventually, mailsTo } from '@waybill/testing';
import request from 'supertest';
import { type Member, type Shops, startShops } from './shops.ts';

describe('mails of orders', () => {
  let shops: Shops;
  let mia: Member;
  beforeAll(async () => {
    shops = await startShops();
    mia = await shops.newMember('Mia');
  });
  afterAll(() => shops.stop());
  const verify = (userId: string) =>
    shops.query('identity', 'update user_account set email_verified_at = now() where id = $1', [userId]);
  const mailsOf = (storeId: string) =>
    shops.query(
      'identity',
      "select template, state, address from mail where data->>'storeId' = $1 order by template, id",
      [storeId],
    );
  const choose = async (change: object) =>
    request(shops.system.internalUrl)
      .patch('/api/me/notifications')
      .set(await shops.system.as(mia))
      .send(change);
  const settled = (storeId: string, count: number) =>
    eventually(
      async () => {
        const mails = await mailsOf(storeId);
        return mails.length === count && mails.every(({ state }) => state === 'sent') ? mails : null;
      },
      { what: `${count} mails to be sent` },
    );

  test('go to whoever ordered and to the members who want them, one each', async () => {
    await verify(mia.userId);
    const store = await shops.newStore('EUR', mia);
    const product = await store.product([5]);
    const customer = { name: 'Zoe', email: 'zoe.mailed@example.com' };
    const items = [{ variantId: product.variants[0]!.id, quantity: 2 }];
    const { body } = await store.checkout({ items, customer });
    expect(await settled(store.storeId, 2)).toEqual([
      { template: 'orderCreated', state: 'sent', address: null },
      // Nothing of the customer is kept.
      { template: 'orderReceipt', state: 'sent', address: '' },
    ]);
    const [receipt] = await mailsTo(shops.system.dataDir, customer.email);
    expect(receipt).toContain('2 × Tea · Size 0: €2.00');
    expect(receipt).toContain(`/orders/${body.token}`);
    const told = (await mailsTo(shops.system.dataDir, 'mia@example.com')).filter((mail) =>
      mail.includes('new order'),
    );
    expect(told[0]).toContain(`/console/stores/${store.storeId}/orders/${body.order.id}`);
    expect(told[0]).not.toContain('Zoe');

    const off = { storeId: store.storeId, orderCreated: false };
    expect((await choose(off)).body).toEqual({ notification: off });
    const again = await store.checkout({ items, customer });
    expect(again.status).toBe(201);
    expect((await settled(store.storeId, 3)).map(({ template }) => template)).toEqual([
      'orderCreated',
      'orderReceipt',
      'orderReceipt',
    ]);
    const read = await request(shops.system.internalUrl)
      .get('/api/me/notifications')
      .set(await shops.system.as(mia));
    expect(read.body.notifications).toContainEqual(off);
    expect((await choose({ ...off, storeId: newId('store') })).status).toBe(404);
  });

  test('do not go to who was erased before, and not more than 20 in an hour to one address', async () => {
    const store = await shops.newStore('EUR', mia);
    await choose({ storeId: store.storeId, orderCreated: false });
    const product = await store.product([100]);
    const items = [{ variantId: product.variants[0]!.id, quantity: 1 }];
    const { body } = await store.checkout({
      items,
      customer: { name: 'Zoe', email: 'zoe.erased@example.com' },
    });
    await settled(store.storeId, 1);
    await shops.query('orders', 'update "order" set customer_email = \'\' where id = $1', [body.order.id]);
    await shops.query(
      'identity',
      "update mail set state = 'queued', due_at = now() where data->>'orderId' = $1",
      [body.order.id],
    );
    await eventually(async () => (await mailsOf(store.storeId)).length === 0, {
      what: 'the mail to be dropped',
    });
    expect(await mailsTo(shops.system.dataDir, 'zoe.erased@example.com')).toHaveLength(1);

    const customer = { name: 'Flood', email: 'flooded@example.com' };
    for (let i = 0; i < 22; i++) await store.checkout({ items, customer });
    await settled(store.storeId, 20);
    expect(await mailsTo(shops.system.dataDir, customer.email)).toHaveLength(20);
  });
});
