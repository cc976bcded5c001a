import { newId } from '@waybill/contracts';
import { eventually, runSql } from '@waybill/testing';
import request from 'supertest';
import { type PayingSystem, startPaying, untilPayment } from './paying.ts';
import { providers } from './payment-providers.ts';

let paying: PayingSystem;
beforeAll(async () => {
  paying = await startPaying();
});
afterAll(() => paying?.stop());

describe('a checkout', () => {
  test('accepts no method in a store without methods, and requires one in a store with methods', async () => {
    const store = paying.newStore();
    const free = await store.checkout(900);
    expect([free.status, free.body.payment]).toEqual([201, null]);
    const transfer = await store.method({ provider: 'manual', name: 'Bank transfer', minimumCents: 500 });
    expect(await store.checkout(900)).toMatchObject({
      status: 422,
      body: { code: 'payment_method_required' },
    });
    expect((await store.checkout(499)).status).toBe(201);
    for (const paymentMethodId of [newId('paymentMethod'), 'pmm', ''])
      expect(await store.checkout(900, { paymentMethodId })).toMatchObject({
        status: 422,
        body: { code: 'invalid_payment_method' },
      });
    expect((await store.checkout(499, { paymentMethodId: transfer.id })).body.code).toBe(
      'invalid_payment_method',
    );
    const placed = await store.checkout(900, { paymentMethodId: transfer.id }, 'again');
    expect(placed.body.payment).toEqual({
      id: expect.stringMatching(/^pay_/),
      status: 'pending',
      redirectUrl: null,
    });
    expect((await store.checkout(900, { paymentMethodId: transfer.id }, 'again')).body).toEqual(placed.body);
    await store.changeMethod(transfer.id, { isEnabled: false });
    expect((await store.checkout(900)).status).toBe(201);
  });

  test('to an address without a country may use a method of some countries', async () => {
    const store = paying.newStore();
    const { id } = await store.method({ provider: 'manual', name: 'Bank transfer', countries: ['DE'] });
    const customer = { name: 'Ann', email: 'ann@example.com', shippingAddress: { line1: 'Main St 1' } };
    const placed = await store.checkout(900, { paymentMethodId: id, customer });
    expect([placed.status, placed.body.code]).toEqual([201, undefined]);
    const abroad = { ...customer, shippingAddress: { line1: 'Main St 1', country: 'FR' } };
    expect((await store.checkout(900, { paymentMethodId: id, customer: abroad })).body.code).toBe(
      'invalid_payment_method',
    );
  });

  test('of a free order is paid if the store has a method', async () => {
    const store = paying.newStore();
    expect((await store.checkout(0, { items: [{ variantId: newId('variant'), quantity: 1 }] })).status).toBe(
      201,
    );
  });

  test('works while the payments service does not answer, for manual methods', async () => {
    const store = paying.newStore();
    const transfer = await store.method({ provider: 'manual', name: 'Bank transfer' });
    await runSql(paying.system, 'payments', 'alter table payment_method rename to payment_method_away');
    try {
      const bought = await store.buy(900, transfer.id);
      expect((await bought.page()).payment.status).toBe('pending');
      const captured = await store.api('post', `payments/${bought.payment.id}/capture`);
      expect(captured.body.payment.status).toBe('captured');
      expect(await bought.money()).toEqual(['paid', 900, 0, 0]);
    } finally {
      await runSql(paying.system, 'payments', 'alter table payment_method_away rename to payment_method');
    }
  });
});

describe.each(providers)('a payment at $name', ({ begin }) => {
  test('is paid at its provider’s page, and a repeated report counts once', async () => {
    const { bought, pay } = await begin(paying);
    expect(bought.payment).toMatchObject({
      status: 'pending',
      redirectUrl: expect.stringMatching(/^https?:/),
    });
    await pay(2);
    expect(await untilPayment(bought, 'captured')).toMatchObject({
      capturedCents: 900,
      entries: [{ kind: 'captured', amountCents: 900 }],
    });
    expect(await bought.money()).toEqual(['paid', 900, 0, 0]);
  });

  test.each([
    ['in full', undefined, ['paid', 900, 0, 0]],
    ['in part, which releases the rest', { amountCents: 400 }, ['pending', 400, 0, 500]],
  ])('is captured by hand %s', async (_, body, money) => {
    const { bought, pay, take } = await begin(paying, { capture: 'manual' });
    await pay(2);
    await untilPayment(bought, 'authorized');
    expect(await bought.money()).toEqual(['authorized', 0, 0, 900]);
    const captured = await take('capture', `payments/${bought.payment.id}/capture`, body);
    expect(captured).toMatchObject({ status: 200, body: { payment: { status: 'captured' } } });
    expect(await bought.money()).toEqual(money);
  });

  test('is voided', async () => {
    const { bought, pay, take } = await begin(paying, { capture: 'manual' });
    await pay();
    await untilPayment(bought, 'authorized');
    const voided = await take('void', `payments/${bought.payment.id}/void`);
    expect(voided).toMatchObject({ status: 200, body: { payment: { status: 'voided' } } });
    expect(await bought.money()).toEqual(['voided', 0, 0, 900]);
  });

  test('is refunded in parts, up to the paid amount', async () => {
    const { bought, pay, take, store } = await begin(paying);
    await pay();
    await untilPayment(bought, 'captured');
    const path = `orders/${bought.order.id}/refunds`;
    for (const [amountCents, money] of [
      [300, ['partially_refunded', 900, 300, 0]],
      [600, ['refunded', 900, 900, 0]],
    ] as const) {
      const refunded = await take('refund', path, { amountCents });
      expect([refunded.status, refunded.body.refund?.state]).toEqual([201, 'done']);
      expect(await bought.money()).toEqual(money);
    }
    expect((await store.api('post', path, { amountCents: 1 })).status).toBe(409);
  });

  test('stays authorised when its capture is refused, with the provider’s reason', async () => {
    const { bought, pay, refuse } = await begin(paying, { capture: 'manual' });
    await pay();
    await untilPayment(bought, 'authorized');
    const { reply, words } = await refuse('capture', `payments/${bought.payment.id}/capture`);
    expect(reply).toMatchObject({ status: 409, body: { code: 'provider_refused', error: words } });
    expect(await bought.money()).toEqual(['authorized', 0, 0, 900]);
  });

  test('that is given up for another method fails, and its session ends', async () => {
    const { bought, store, untilEnded } = await begin(paying);
    const transfer = await store.method({ provider: 'manual', name: 'Bank transfer' });
    const again = await bought.payAgain(transfer.id);
    expect(again.body.payment.id).not.toBe(bought.payment.id);
    await untilPayment(bought, 'failed');
    await untilEnded();
    expect(await bought.money()).toEqual(['pending', 0, 0, 900]);
  });

  test('of an order that is cancelled fails, and its session ends', async () => {
    const { bought, store, untilEnded } = await begin(paying);
    await store.api('patch', `orders/${bought.order.id}`, { status: 'cancelled' });
    await untilPayment(bought, 'failed');
    await untilEnded();
  });
});

describe('a payment at Stripe', () => {
  test('is paid at its page, and an event that comes twice counts once', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    expect(bought.payment.redirectUrl).toBe(`${paying.stripe.url}/pay/${bought.session.id}`);
    expect(bought.session.successUrl).toBe(`https://shop.example/s/teas/orders/${bought.token}`);
    const intent = paying.stripe.pay(bought.session.id);
    expect((await store.tell(card.id, 'checkout.session.completed', bought.session.id, 'evt_1')).status).toBe(
      200,
    );
    expect((await store.tell(card.id, 'checkout.session.completed', bought.session.id, 'evt_1')).status).toBe(
      200,
    );
    await store.tell(card.id, 'payment_intent.succeeded', intent.id);
    expect(await untilPayment(bought, 'captured')).toMatchObject({
      provider: 'stripe',
      methodId: card.id,
      method: 'card',
      isTest: true,
      capturedCents: 900,
      reference: intent.id,
      entries: [{ kind: 'captured', amountCents: 900, reference: intent.id }],
    });
    expect(await bought.money()).toEqual(['paid', 900, 0, 0]);
    expect((await bought.page()).payment).toEqual({
      id: bought.payment.id,
      status: 'captured',
      redirectUrl: null,
    });
  });

  test('ignores a forged event', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    paying.stripe.pay(bought.session.id);
    const { body, headers } = paying.stripe.event(
      'checkout.session.completed',
      paying.stripe.objectOf(bought.session.id),
      'whsec_wrong',
    );
    const url = `/payments/${card.id}/events`;
    const forged = await request(paying.system.internalUrl).post(url).set(headers).send(body);
    expect(forged).toMatchObject({ status: 400, body: { code: 'invalid_signature' } });
    expect((await request(paying.system.internalUrl).post(url).send({})).body.code).toBe('invalid_signature');
    expect((await bought.paymentNow()).status).toBe('pending');
  });

  test('whose event is lost is found when the shopper comes back', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    paying.stripe.pay(bought.session.id);
    await eventually(async () => (await bought.page()).payment.status === 'captured', {
      what: 'the page to show the payment',
    });
  });

  test('that is declined stays pending with its failure, and can be paid by another card', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    const intent = paying.stripe.pay(bought.session.id, 'declined');
    await store.tell(card.id, 'payment_intent.payment_failed', intent.id);
    await eventually(async () => (await bought.paymentNow()).failure, { what: 'the failure to be shown' });
    expect(await bought.paymentNow()).toMatchObject({
      status: 'pending',
      failure: { code: 'insufficient_funds', message: 'Your card has insufficient funds.' },
      entries: [],
    });
    paying.stripe.pay(bought.session.id);
    await store.tell(card.id, 'payment_intent.succeeded', intent.id);
    expect(await untilPayment(bought, 'captured')).toMatchObject({ failure: null });
  });

  test('is authorised first where its method captures by hand, and captured in part', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod({ capture: 'manual' });
    const bought = await store.buy(900, card.id);
    const intent = paying.stripe.pay(bought.session.id);
    await store.tell(card.id, 'payment_intent.amount_capturable_updated', intent.id);
    await untilPayment(bought, 'authorized');
    expect(await bought.money()).toEqual(['authorized', 0, 0, 900]);
    expect((await bought.payAgain(card.id)).body.code).toBe('invalid_state');
    const capture = (amountCents?: number, headers = {}) =>
      store.api(
        'post',
        `payments/${bought.payment.id}/capture`,
        { ...(amountCents && { amountCents }) },
        headers,
      );
    expect((await capture(901)).body.code).toBe('amount_exceeded');
    const key = { 'idempotency-key': 'capture-1' };
    const captured = await capture(400, key);
    expect(captured).toMatchObject({
      status: 200,
      body: { payment: { status: 'captured', capturedCents: 400 } },
    });
    expect((await capture(400, key)).body).toEqual(captured.body);
    expect((await capture()).body.code).toBe('invalid_state');
    expect(await bought.money()).toEqual(['pending', 400, 0, 500]);
    expect(paying.stripe.intents.get(intent.id)!.received).toBe(400);
  });

  test('is captured once where the answer to the capture is lost', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod({ capture: 'manual' });
    const bought = await store.buy(900, card.id);
    const intent = paying.stripe.pay(bought.session.id);
    await store.tell(card.id, 'payment_intent.amount_capturable_updated', intent.id);
    await untilPayment(bought, 'authorized');
    const call = `POST /v1/payment_intents/${intent.id}/capture`;
    paying.stripe.faults.push({ call, status: 0, isDone: true }, { call, status: 500, isDone: true });
    const captured = await store.api('post', `payments/${bought.payment.id}/capture`);
    expect([200, 202]).toContain(captured.status);
    await runSql(paying.system, 'orders', "update payment_step set due_at = now() where state = 'pending'");
    await untilPayment(bought, 'captured');
    const keys = paying.stripe.requests
      .filter(({ path }) => path === `/v1/payment_intents/${intent.id}/capture`)
      .map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(1);
  });

  test('is counted in the store’s units where Stripe counts in others', async () => {
    const store = paying.newStore('ISK');
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    expect(paying.stripe.objectOf(bought.session.id)).toMatchObject({
      amount_total: 90_000,
      currency: 'isk',
    });
    paying.stripe.pay(bought.session.id);
    await store.tell(card.id, 'checkout.session.completed', bought.session.id);
    expect(await untilPayment(bought, 'captured')).toMatchObject({
      amountCents: 900,
      capturedCents: 900,
    });
    const refunded = await store.api('post', `orders/${bought.order.id}/refunds`, { amountCents: 150 });
    expect([refunded.status, refunded.body.code]).toEqual([201, undefined]);
    await eventually(async () => (await bought.money()).join() === 'partially_refunded,900,150,0', {
      what: 'the refund to be counted',
    });
  });

  test('of an amount that Stripe cannot take exactly opens no page, and the order stays to be paid', async () => {
    const store = paying.newStore('KWD');
    const card = await store.stripeMethod();
    const { status, body } = await store.checkout(731, { paymentMethodId: card.id });
    expect([status, body.payment]).toEqual([201, expect.objectContaining({ redirectUrl: null })]);
    const exact = await store.buy(730, card.id);
    expect(paying.stripe.objectOf(exact.session.id)).toMatchObject({ amount_total: 730, currency: 'kwd' });
  });

  test('that is processing keeps its order, and ends when it fails', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    const intent = paying.stripe.pay(bought.session.id, 'debit');
    await store.tell(card.id, 'checkout.session.completed', bought.session.id);
    await eventually(async () => (await bought.paymentNow()).method === 'sepa_debit', { what: 'the debit' });
    expect((await bought.payAgain(card.id)).body.code).toBe('invalid_state');
    paying.stripe.settlePayment(intent.id, 'failed');
    await store.tell(card.id, 'checkout.session.async_payment_failed', bought.session.id);
    expect(await untilPayment(bought, 'failed')).toMatchObject({ failure: { message: 'The debit failed.' } });
    expect((await bought.payAgain(card.id)).status).toBe(201);
  });

  test('that is disputed stays with the order until the dispute is won', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    const intent = paying.stripe.pay(bought.session.id);
    await store.tell(card.id, 'payment_intent.succeeded', intent.id);
    await untilPayment(bought, 'captured');
    const dispute = paying.stripe.dispute(intent.id);
    await store.tell(card.id, 'charge.dispute.created', dispute.id);
    await untilPayment(bought, 'disputed');
    dispute.status = 'won';
    await store.tell(card.id, 'charge.dispute.closed', dispute.id);
    await untilPayment(bought, 'captured');
    expect(await bought.money()).toEqual(['paid', 900, 0, 0]);
  });

  test('shows a refund that was made at Stripe itself', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    const intent = paying.stripe.pay(bought.session.id);
    await store.tell(card.id, 'payment_intent.succeeded', intent.id);
    await untilPayment(bought, 'captured');
    const refund = paying.stripe.refundAtStripe(intent.id, 300);
    await store.tell(card.id, 'refund.created', refund.id);
    await untilPayment(bought, 'partially_refunded');
    expect(await bought.money()).toEqual(['partially_refunded', 900, 300, 0]);
    await eventually(() => paying.refundsOf(bought.order.id).length > 0, { what: 'refund.created' });
    expect(paying.refundsOf(bought.order.id)).toMatchObject([{ amountCents: 300, state: 'done' }]);
    expect((await store.api('get', `orders/${bought.order.id}/refunds`)).body).toMatchObject({
      total: 1,
      refunds: [{ id: paying.refundsOf(bought.order.id)[0]!.id }],
    });
  });
});

describe('paying again', () => {
  test('ends the previous session, and refunds a double payment automatically', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    // Paid at the very moment in which it is given up.
    const first = paying.stripe.pay(bought.session.id);
    const other = await store.stripeMethod({ name: 'Another card' });
    const again = await bought.payAgain(other.id);
    expect(again.status).toBe(201);
    const second = paying.stripe.sessionOf(again.body.payment.id)!;
    second.status = 'open';
    paying.stripe.pay(second.id);
    await store.tell(other.id, 'checkout.session.completed', second.id);
    await store.tell(card.id, 'payment_intent.succeeded', first.id);
    const intents = [first.id, second.intent];
    await eventually(
      () => [...paying.stripe.refunds.values()].some(({ intent }) => intents.includes(intent)),
      { what: 'one of the two payments to go back' },
    );
    await eventually(async () => (await bought.money())[1] === 900, { what: 'the order to be paid once' });
    expect(await bought.money()).toEqual(['paid', 900, 0, 0]);
  });

  test('pays the rest of an order of which something was refunded', async () => {
    const store = paying.newStore();
    const { order, token } = (await store.checkout(900)).body;
    await store.api('post', `orders/${order.id}/payments`, { amountCents: 600 });
    await store.api('post', `orders/${order.id}/refunds`, { amountCents: 200 });
    const transfer = await store.method({ provider: 'manual', name: 'Bank transfer' });
    const again = await request(paying.system.internalUrl)
      .post(`/storefront/${store.storeId}/orders/${token}/payments`)
      .send({ paymentMethodId: transfer.id });
    expect([again.status, again.body.code]).toEqual([201, undefined]);
    const captured = await store.api('post', `payments/${again.body.payment.id}/capture`);
    expect(captured.body.payment).toMatchObject({ capturedCents: 300 });
  });

  test('by another method fails the session that was open', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const transfer = await store.method({ provider: 'manual', name: 'Bank transfer' });
    const bought = await store.buy(900, card.id);
    const again = await bought.payAgain(transfer.id);
    expect(again).toMatchObject({ status: 201, body: { payment: { status: 'pending', redirectUrl: null } } });
    await untilPayment(bought, 'failed');
    expect(paying.stripe.sessions.get(bought.session.id)!.status).toBe('expired');
    expect((await bought.page()).payment.id).toBe(again.body.payment.id);
    expect((await bought.payAgain('pmm_x')).body.code).toBe('invalid_payment_method');
    await store.api('post', `payments/${again.body.payment.id}/capture`);
    expect((await bought.payAgain(card.id)).body.code).toBe('invalid_state');
  });
});

describe('a state that is set by hand', () => {
  test('is refused while money may still come from a provider', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    const patch = (payment: string) => store.api('patch', `orders/${bought.order.id}`, { payment });
    for (const status of ['authorized', 'paid', 'partially_refunded', 'refunded', 'voided'])
      expect([status, (await patch(status)).body.code]).toEqual([status, 'provider_payment']);
    expect((await patch('pending')).status).toBe(200);
    expect((await bought.paymentNow()).entries).toEqual([]);
  });
});

describe('a double click on paying', () => {
  test('returns the open payment of the same method and amount', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    const clicks = await Promise.all([bought.payAgain(card.id), bought.payAgain(card.id)]);
    for (const { status, body } of clicks) expect([status, body]).toEqual([201, { payment: bought.payment }]);
    const transfer = await store.method({ provider: 'manual', name: 'Bank transfer' });
    const [first, second] = await Promise.all([bought.payAgain(transfer.id), bought.payAgain(transfer.id)]);
    expect(second.body).toEqual(first.body);
    await untilPayment(bought, 'failed');
    const back = await bought.payAgain(card.id);
    expect(back.body.payment.id).not.toBe(bought.payment.id);
    expect(back.body.payment.redirectUrl).toMatch(/^http/);
    const { body } = await store.api('get', `orders/${bought.order.id}/payments`);
    expect(body.total).toBe(3);
  });
});

describe('the token of an order', () => {
  test('is in no table in the clear once its session is created, and still leads back', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    const other = await store.stripeMethod({ name: 'Another card' });
    const again = await bought.payAgain(other.id);
    const { successUrl } = paying.stripe.sessionOf(again.body.payment.id)!;
    expect(successUrl).toBe(`https://shop.example/s/teas/orders/${bought.token}`);
    const stored = await Promise.all(
      [
        ['orders', 'payment'],
        ['payments', 'payment_session'],
      ].map(([service, table]) =>
        runSql(
          paying.system,
          service!,
          `select return_url from ${table} where store_id = '${store.storeId}'`,
        ),
      ),
    );
    expect(stored.flat()).toEqual(Array(4).fill({ return_url: 'https://shop.example/s/teas/orders/' }));
  });
});

describe('a refund by itself', () => {
  test('that the provider refuses emits an event, and can be made by hand', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(700, card.id);
    const intent = paying.stripe.pay(bought.session.id);
    await store.api('patch', `orders/${bought.order.id}`, { status: 'cancelled' });
    paying.stripe.refundStatus = 'failed';
    try {
      await store.tell(card.id, 'payment_intent.succeeded', intent.id);
      await eventually(async () => paying.mails.of(store.storeId, 'refundFailed').length === 1, {
        what: 'the admins to hear that the refund failed',
      });
    } finally {
      paying.stripe.refundStatus = 'succeeded';
    }
    expect(paying.mails.of(store.storeId)).toEqual([
      {
        template: 'refundFailed',
        data: {
          orderNumber: '1',
          amount: '€7.00',
          amountCents: '700',
          currency: 'EUR',
          reason: 'Stripe could not refund: lost_or_stolen_card.',
        },
      },
    ]);
    expect(await bought.money()).toEqual(['paid', 700, 0, 0]);
    const refunded = await store.api('post', `orders/${bought.order.id}/refunds`, { amountCents: 700 });
    expect([refunded.status, refunded.body.code, refunded.body.refund?.state]).toEqual([
      201,
      undefined,
      'done',
    ]);
    expect(await bought.money()).toEqual(['refunded', 700, 700, 0]);
  });

  test('emits an event when it is done', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(700, card.id);
    const intent = paying.stripe.pay(bought.session.id);
    await store.api('patch', `orders/${bought.order.id}`, { status: 'cancelled' });
    await store.tell(card.id, 'payment_intent.succeeded', intent.id);
    await untilPayment(bought, 'refunded');
    await eventually(() => paying.mails.of(store.storeId).length > 0, { what: 'the mail' });
    expect(paying.mails.of(store.storeId)).toEqual([
      {
        template: 'paymentReturned',
        data: { orderNumber: '1', amount: '€7.00', amountCents: '700', currency: 'EUR' },
      },
    ]);
  });
});

describe('a refund by hand', () => {
  test('that fails later emits an event; one that fails at once is answered', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    const intent = paying.stripe.pay(bought.session.id);
    await store.tell(card.id, 'payment_intent.succeeded', intent.id);
    await untilPayment(bought, 'captured');
    const path = `orders/${bought.order.id}/refunds`;
    try {
      paying.stripe.refundStatus = 'failed';
      expect((await store.api('post', path, { amountCents: 200 })).body.code).toBe('provider_refused');
      paying.stripe.refundStatus = 'pending';
      expect((await store.api('post', path, { amountCents: 300 })).body.refund.state).toBe('pending');
    } finally {
      paying.stripe.refundStatus = 'succeeded';
    }
    const atStripe = [...paying.stripe.refunds.values()].find(
      ({ intent: of, status }) => of === intent.id && status === 'pending',
    )!;
    atStripe.status = 'failed';
    for (let i = 0; i < 2; i++) await store.tell(card.id, 'refund.failed', atStripe.id);
    await eventually(() => paying.mails.of(store.storeId, 'refundFailed').length > 0, {
      what: 'the admins to hear of it',
    });
    expect(paying.mails.of(store.storeId)).toMatchObject([{ data: { amount: '€3.00' } }]);
    expect((await store.api('post', path, { amountCents: 900 })).body.refund.state).toBe('done');
  });

  test('waits for the answer to another one, and is refused only beyond what was paid', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    const intent = paying.stripe.pay(bought.session.id);
    await store.tell(card.id, 'payment_intent.succeeded', intent.id);
    await untilPayment(bought, 'captured');
    const path = `orders/${bought.order.id}/refunds`;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => store.api('post', path, { amountCents: 400 })),
    );
    expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([
      201,
      201,
      ...Array(3).fill('amount_exceeded'),
    ]);
    expect(await bought.money()).toEqual(['partially_refunded', 900, 800, 0]);
  });
});

describe('a refund that fails at Stripe after it had succeeded', () => {
  test('no longer counts, emits an event, and can be repeated', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    const intent = paying.stripe.pay(bought.session.id);
    await store.tell(card.id, 'payment_intent.succeeded', intent.id);
    await untilPayment(bought, 'captured');
    const path = `orders/${bought.order.id}/refunds`;
    const { refund } = (await store.api('post', path, { amountCents: 300 })).body;
    const atStripe = [...paying.stripe.refunds.values()].find((each) => each.intent === intent.id)!;
    atStripe.status = 'failed';
    await store.tell(card.id, 'refund.failed', atStripe.id);
    await untilPayment(bought, 'captured');
    expect(await bought.money()).toEqual(['paid', 900, 0, 0]);
    expect((await store.api('get', `${path}/${refund.id}`)).body.refund.state).toBe('failed');
    expect((await bought.paymentNow()).entries).toMatchObject([
      { kind: 'captured', amountCents: 900 },
      { kind: 'refunded', amountCents: 300, reference: atStripe.id },
      { kind: 'refunded', amountCents: -300, reference: `${atStripe.id}:failed` },
    ]);
    await eventually(() => paying.mails.of(store.storeId, 'refundFailed').length === 1, {
      what: 'the admins to hear of it',
    });
    expect((await store.asAdmin('get', 'payment-reconciliation')).body.differences).toEqual([]);
    expect((await store.api('post', path, { amountCents: 900 })).body.refund.state).toBe('done');
    expect(await bought.money()).toEqual(['refunded', 900, 900, 0]);
    const { body } = await store.asAdmin('get', 'reports/payments');
    expect(body.payments).toMatchObject([{ capturedCents: 900, refundedCents: 900 }]);
  });
});

describe('a cancelled order', () => {
  test('refunds a late payment automatically', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const paid = await store.buy(700, card.id);
    const intent = paying.stripe.pay(paid.session.id);
    await store.api('patch', `orders/${paid.order.id}`, { status: 'cancelled' });
    await store.tell(card.id, 'payment_intent.succeeded', intent.id);
    await untilPayment(paid, 'refunded');
    expect([...paying.stripe.refunds.values()].filter((refund) => refund.intent === intent.id)).toMatchObject(
      [{ amount: 700 }],
    );
    expect(await paid.money()).toEqual(['refunded', 700, 700, 0]);
    await eventually(() => paying.refundsOf(paid.order.id).length > 0, { what: 'refund.created' });
    expect(paying.refundsOf(paid.order.id)).toMatchObject([{ amountCents: 700, state: 'done' }]);
  });

  test('refunds each part that an app takes late, while the refund of another one is under way', async () => {
    const appId = newId('app');
    const store = paying.newStore();
    const method = await store.method({ provider: 'app', name: 'Example Pay', appId });
    const bought = await store.buy(900, method.id);
    const { session } = await store.waitForRequest('payment.sessionRequested', bought.payment.id);
    await store.api('patch', `orders/${bought.order.id}`, { status: 'cancelled' });
    for (const [reference, amountCents] of [
      ['a', 500],
      ['b', 300],
    ] as const)
      await store.report(appId, session.id, { status: 'captured', reference, amountCents });
    const requested = await eventually(
      () => {
        const found = paying.requests.filter(
          ({ type, data }) =>
            type === 'payment.refundRequested' && data.session.paymentId === bought.payment.id,
        );
        const sums = new Map(found.map(({ data }) => [data.requestId, data.session.amountCents]));
        return sums.size === 2 ? [...sums.values()] : null;
      },
      { what: 'the app to be asked for both refunds' },
    );
    expect(requested.sort((a, b) => b - a)).toEqual([500, 300]);
    for (const _ of requested) await store.report(appId, session.id, { status: 'refunded' });
    await untilPayment(bought, 'refunded');
    expect(await bought.money()).toEqual(['refunded', 800, 800, 0]);
  });
});

describe('reports', () => {
  test('show movements by day and method, and differences from the provider’s list', async () => {
    const store = paying.newStore();
    const card = await store.stripeMethod();
    const bought = await store.buy(900, card.id);
    const intent = paying.stripe.pay(bought.session.id);
    await store.tell(card.id, 'payment_intent.succeeded', intent.id);
    await untilPayment(bought, 'captured');
    const transfer = await store.method({ provider: 'manual', name: 'Bank transfer' });
    const byHand = await store.buy(500, transfer.id);
    await store.api('post', `orders/${byHand.order.id}/payments`, { amountCents: 200 });
    const { body } = await store.asAdmin('get', 'reports/payments');
    expect(body.currency).toBe('EUR');
    expect(body.payments).toHaveLength(2);
    expect(body.payments).toEqual(
      expect.arrayContaining([
        {
          start: expect.stringMatching(/T00:00:00/),
          methodId: card.id,
          name: 'Card',
          capturedCents: 900,
          refundedCents: 0,
          disputedCents: 0,
        },
        expect.objectContaining({ methodId: null, name: null, capturedCents: 200 }),
      ]),
    );
    expect((await store.asAdmin('get', 'reports/payments?timeZone=Mars')).status).toBe(400);
    const longAgo = 'reports/payments?from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z';
    expect((await store.asAdmin('get', longAgo)).body.code).toBe('invalid_body');
    const same = await store.asAdmin('get', 'payment-reconciliation');
    expect(same.body).toEqual({ differences: [], checkedAt: expect.any(String) });
    paying.stripe.refundAtStripe(intent.id, 300);
    // A comparison was made a moment ago.
    expect((await store.asAdmin('get', 'payment-reconciliation')).body.differences).toEqual([]);
    await runSql(
      paying.system,
      'payments',
      "update reconciliation set checked_at = now() - interval '2 minutes'",
    );
    expect((await store.asAdmin('get', 'payment-reconciliation')).body.differences).toEqual([
      {
        paymentId: bought.payment.id,
        reference: intent.id,
        hereCents: 900,
        thereCents: 600,
        checkedAt: expect.any(String),
      },
    ]);
  });
});

describe('a comparison with providers', () => {
  test('continues after a method is refused, and keeps its earlier results', async () => {
    const store = paying.newStore();
    const otherKey = 'sk_test_51OtherAccount';
    const cards = [
      await store.stripeMethod(),
      await store.stripeMethod({ name: 'Other', secretKey: otherKey }),
    ];
    const lost: { paymentId: string; reference: string; thereCents: number }[] = [];
    for (const card of cards) {
      const bought = await store.buy(900, card.id);
      const intent = paying.stripe.pay(bought.session.id);
      await store.tell(card.id, 'payment_intent.succeeded', intent.id);
      await untilPayment(bought, 'captured');
      paying.stripe.refundAtStripe(intent.id, 300);
      lost.push({ paymentId: bought.payment.id, reference: intent.id, thereCents: 600 });
    }
    const compare = async () => {
      await runSql(
        paying.system,
        'payments',
        `update reconciliation set checked_at = now() - interval '2 minutes' where store_id = '${store.storeId}'`,
      );
      const { status, body } = await store.asAdmin('get', 'payment-reconciliation');
      const ids = (each: { paymentId: string }) => each.paymentId;
      return [status, body.differences.sort((a: never, b: never) => (ids(a) < ids(b) ? -1 : 1))];
    };
    const both = await compare();
    expect(both).toEqual([200, lost.map((each) => expect.objectContaining(each))]);
    paying.stripe.refusedKeys.add(otherKey);
    paying.stripe.refundAtStripe(lost[0]!.reference, 100);
    expect(await compare()).toEqual([
      200,
      [expect.objectContaining({ ...lost[0], thereCents: 500 }), expect.objectContaining(lost[1])],
    ]);
  });
});

describe('an app as a provider', () => {
  const appId = newId('app');

  async function buyByApp(method: object = {}) {
    const store = paying.newStore();
    const { id } = await store.method({ provider: 'app', name: 'Example Pay', appId, ...method });
    const buying = store.buy(900, id);
    return { store, id, buying };
  }

  test('is asked for a session, and leads the checkout to where the shopper pays', async () => {
    const { store, buying } = await buyByApp();
    const [requested] = await eventually(
      async () => {
        const found = paying.requests.filter(({ data }) => data.appId === appId).map(({ data }) => data);
        return found.length > 0 ? found : null;
      },
      { what: 'the app to be asked' },
    );
    const { session } = requested!;
    const redirectUrl = 'https://pay.example.com/c/1';
    for (const wrong of [
      'javascript:alert(1)',
      'http://pay.example.com/',
      'https://user:pw@pay.example.com/',
    ])
      expect(await store.report(appId, session.id, { status: 'pending', redirectUrl: wrong })).toMatchObject({
        status: 400,
        body: { details: [{ pointer: '/redirectUrl' }] },
      });
    const reported = await store.report(appId, session.id, { status: 'pending', redirectUrl });
    expect([reported.status, reported.body.paymentSession?.redirectUrl]).toEqual([200, redirectUrl]);
    const bought = await buying;
    expect(bought.payment.redirectUrl).toBe(redirectUrl);
    expect((await store.report(newId('app'), session.id, { status: 'captured' })).status).toBe(404);
    expect((await store.report(appId, session.id, { status: 'captured', amountCents: 901 })).body.code).toBe(
      'amount_exceeded',
    );
    expect((await store.report(appId, session.id, { status: 'paid' })).body).toMatchObject({
      code: 'invalid_status',
      details: [{ pointer: '/status' }],
    });
    const report = { status: 'captured', reference: 'ch_1' };
    expect((await store.report(appId, session.id, report)).body.paymentSession.status).toBe('captured');
    expect((await store.report(appId, session.id, report)).status).toBe(200);
    expect(await untilPayment(bought, 'captured')).toMatchObject({
      provider: 'app',
      entries: [{ kind: 'captured', amountCents: 900, reference: 'ch_1' }],
    });
  });

  test('that says something again without a reference, as an answer was lost, has said it once', async () => {
    const { store, buying } = await buyByApp({ capture: 'manual' });
    const bought = await buying;
    const { session } = await store.waitForRequest('payment.sessionRequested', bought.payment.id);
    await store.report(appId, session.id, { status: 'authorized' });
    await untilPayment(bought, 'authorized');
    const capturing = store.api('post', `payments/${bought.payment.id}/capture`, { amountCents: 400 });
    await store.waitForRequest('payment.captureRequested', bought.payment.id);
    for (const _ of [1, 2])
      expect((await store.report(appId, session.id, { status: 'captured' })).status).toBe(200);
    expect((await capturing).body.payment.capturedCents).toBe(400);
    expect(await bought.money()).toEqual(['pending', 400, 0, 500]);
    // Reports must not exceed the session in total, nor refund more than was captured.
    for (const more of [
      { status: 'captured', reference: 'b', amountCents: 501 },
      { status: 'refunded', reference: 'c', amountCents: 401 },
    ])
      expect((await store.report(appId, session.id, more)).body.code).toBe('amount_exceeded');
  });

  test('that repeats an unasked report without a reference has said it once', async () => {
    const { store, buying } = await buyByApp();
    const bought = await buying;
    const { session } = await store.waitForRequest('payment.sessionRequested', bought.payment.id);
    for (const status of ['captured', 'captured', 'refunded', 'refunded'])
      expect(await store.report(appId, session.id, { status })).toMatchObject({
        status: 200,
        body: { paymentSession: { status } },
      });
    expect((await untilPayment(bought, 'refunded')).entries).toMatchObject([
      { kind: 'captured', amountCents: 900 },
      { kind: 'refunded', amountCents: 900 },
    ]);
  });

  test('that is uninstalled reports on its open sessions alone, and answers what it is asked for', async () => {
    const { store, buying } = await buyByApp({ capture: 'manual' });
    const bought = await buying;
    const { session } = await store.waitForRequest('payment.sessionRequested', bought.payment.id);
    const report = async (body: object, of = appId) =>
      (await store.report(of, session.id, body, { scopes: [], isUninstalled: true })).status;
    expect(await report({ status: 'authorized' }, newId('app'))).toBe(404);
    expect(await report({ status: 'authorized' })).toBe(200);
    await untilPayment(bought, 'authorized');
    const capturing = store.api('post', `payments/${bought.payment.id}/capture`);
    await store.waitForRequest('payment.captureRequested', bought.payment.id);
    expect(await report({ status: 'captured' })).toBe(200);
    expect((await capturing).body.payment.status).toBe('captured');
    for (const status of ['captured', 'refunded', 'failed', 'pending', 'voided'])
      expect([status, await report({ status })]).toEqual([status, 404]);
    expect(await bought.money()).toEqual(['paid', 900, 0, 0]);
  });
});
