import { newId } from '@waybill/contracts';
import { eventually, listMailsTo } from '@waybill/testing';
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

  test('go once to the customer and to each subscribed member', async () => {
    await verify(mia.userId);
    const store = await shops.newStore('EUR', mia);
    const product = await store.product([5]);
    const customer = { name: 'Zoe', email: 'zoe.mailed@example.com' };
    const items = [{ variantId: product.variants[0]!.id, quantity: 2 }];
    const { body } = await store.checkout({ items, customer });
    expect(await settled(store.storeId, 2)).toEqual([
      { template: 'orderCreated', state: 'sent', address: null },
      // No data about the customer is kept.
      { template: 'orderReceipt', state: 'sent', address: '' },
    ]);
    const [receipt] = await listMailsTo(shops.system.dataDir, customer.email);
    expect(receipt).toContain('2 × Tea · Size 0: €2.00');
    expect(receipt).toContain(`/orders/${body.token}`);
    const mails = (await listMailsTo(shops.system.dataDir, 'mia@example.com')).filter((mail) =>
      mail.includes('new order'),
    );
    expect(mails[0]).toContain(`/console/stores/${store.storeId}/orders/${body.order.id}`);
    expect(mails[0]).not.toContain('Zoe');

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

  test('do not go to an erased customer, and at most 20 an hour to one address', async () => {
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
    expect(await listMailsTo(shops.system.dataDir, 'zoe.erased@example.com')).toHaveLength(1);

    const customer = { name: 'Flood', email: 'flooded@example.com' };
    for (let i = 0; i < 22; i++) await store.checkout({ items, customer });
    await settled(store.storeId, 20);
    expect(await listMailsTo(shops.system.dataDir, customer.email)).toHaveLength(20);
  });

  test('of a store whose owner has no verified address go to its verified members; others wait a week for it', async () => {
    const ned = await shops.newMember('Ned');
    const store = await shops.newStore('EUR', ned);
    const product = await store.product([100]);
    const items = [{ variantId: product.variants[0]!.id, quantity: 1 }];
    const order = (email: string) => store.checkout({ items, customer: { name: 'N', email } });
    const [olga, pia] = [await shops.newMember('Olga'), await shops.newMember('Pia')];
    for (const { userId } of [olga, pia])
      await shops.query(
        'identity',
        "insert into member (store_id, user_id, role) values ($1, $2, 'editor')",
        [store.storeId, userId],
      );
    await verify(olga.userId);
    for (const email of ['stranger.of.ned@example.com', pia.email, olga.email]) await order(email);
    const waiting = () =>
      shops.query(
        'identity',
        `select id, (due_at at time zone 'UTC')::date - (now() at time zone 'UTC')::date as days from mail
         where data->>'storeId' = $1 and state = 'queued' and not is_leased and due_at > now() order by id`,
        [store.storeId],
      );
    await eventually(async () => (await waiting()).length === 2, { what: 'two receipts to wait' });
    expect((await waiting()).map(({ days }) => days)).toEqual([1, 1]);
    const receipts = async (email: string) =>
      (await listMailsTo(shops.system.dataDir, email)).filter((mail) => mail.includes('/orders/')).length;
    await eventually(async () => (await receipts(olga.email)) === 1, { what: 'the receipt of a member' });
    expect([await receipts('stranger.of.ned@example.com'), await receipts(pia.email)]).toEqual([0, 0]);
    const [ofStranger, ofPia] = (await waiting()).map(({ id }) => id as number);
    const comesDue = (id: number, age: string) =>
      shops.query(
        'identity',
        'update mail set due_at = now(), created_at = now() - $2::interval where id = $1',
        [id, age],
      );
    await comesDue(ofPia!, '7 days');
    await eventually(
      async () => (await shops.query('identity', 'select 1 from mail where id = $1', [ofPia])).length === 0,
      { what: 'a receipt of a week to be dropped' },
    );
    await verify(ned.userId);
    await comesDue(ofStranger!, '6 days');
    await eventually(async () => (await receipts('stranger.of.ned@example.com')) === 1);
    expect(await receipts(pia.email)).toBe(0);
    await order('stranger.of.ned@example.com');
    await eventually(async () => (await receipts('stranger.of.ned@example.com')) === 2);
  });

  test('of a new store go to 50 outsiders a day; more wait, none is dropped, and the owner is told once', async () => {
    const tom = await shops.newMember('Tom');
    await verify(tom.userId);
    const store = await shops.newStore('EUR', tom);
    const off = { storeId: store.storeId, orderCreated: false };
    await request(shops.system.internalUrl)
      .patch('/api/me/notifications')
      .set(await shops.system.as(tom))
      .send(off);
    const product = await store.product([100]);
    const items = [{ variantId: product.variants[0]!.id, quantity: 1 }];
    const order = (i: number) =>
      store.checkout({ items, customer: { name: 'N', email: `outsider-${i}@example.com` } });
    await Promise.all(Array.from({ length: 54 }, (_, i) => order(i)));
    const states = async () =>
      Object.fromEntries(
        (
          await shops.query(
            'identity',
            `select state || case when state = 'queued' and due_at > now() and not is_leased then ' later' else '' end as state,
               count(*)::int as count
             from mail where data->>'storeId' = $1 group by 1`,
            [store.storeId],
          )
        ).map(({ state, count }) => [state, count]),
      );
    await eventually(async () => (await states())['queued later'] === 4, { what: 'four mails to wait' });
    await eventually(async () => (await states()).sent === 50, { what: '50 mails to be sent' });
    const [{ isTomorrow }] = (await shops.query(
      'identity',
      `select bool_and((due_at at time zone 'UTC')::date = (now() at time zone 'UTC')::date + 1) as "isTomorrow"
       from mail where data->>'storeId' = $1 and state = 'queued'`,
      [store.storeId],
    )) as [{ isTomorrow: boolean }];
    expect(isTomorrow).toBe(true);
    const listReminders = async () =>
      (await listMailsTo(shops.system.dataDir, tom.email)).filter((mail) => mail.includes('go out tomorrow'));
    await eventually(async () => (await listReminders()).length === 1);
    // An address that already got a mail today does not count as a new outsider.
    const [{ address }] = (await shops.query(
      'orders',
      `select customer_email as address from "order" where store_id = $1 order by number limit 1`,
      [store.storeId],
    )) as [{ address: string }];
    const wasMailed = (await listMailsTo(shops.system.dataDir, address)).length > 0;
    await store.checkout({ items, customer: { name: 'N', email: address } });
    await eventually(async () => {
      const { sent, 'queued later': later } = await states();
      return wasMailed ? sent === 51 && later === 4 : later === 5;
    });
    // A day passes.
    await shops.query('identity', `update outsider_mail_day set day = day - 1 where sender_id = $1`, [
      store.storeId,
    ]);
    await shops.query(
      'identity',
      `update mail set due_at = now() where data->>'storeId' = $1 and state = 'queued'`,
      [store.storeId],
    );
    await eventually(async () => (await states()).sent === 55, { what: 'what waited to be sent' });
    expect(await listReminders()).toHaveLength(1);
  });
});
