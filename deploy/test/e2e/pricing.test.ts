import { permissions } from '@waybill/contracts';
import { expectStatus, join, newKey, newPerson, newStore, type Person } from '../../testing/accounts.ts';
import { createCaller, send } from '../../testing/client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  let system: SharedSystem;
  let owner: Person;
  beforeAll(async () => {
    system = await share();
    owner = await newPerson(system.baseUrl);
  });

  let keys = 0;
  const buyer = () => `buyer-${++keys}@example.com`;

  /** Creates a store with products at these prices, with functions for its merchant and its shoppers. */
  async function openStore(...prices: number[]) {
    const storeId = await newStore(owner);
    const path = `/api/stores/${storeId}`;
    const call = createCaller(system.baseUrl, (await newKey(owner, storeId, permissions)).secret);
    const variantIds: string[] = [];
    const productIds: string[] = [];
    for (const priceCents of prices) {
      const input = {
        name: `Tea ${priceCents}`,
        status: 'active',
        variants: [{ priceCents, stock: 100_000 }],
      };
      const { product } = expectStatus(await call('POST', '/api/v1/products', input), 201).body;
      productIds.push(product.id);
      variantIds.push(product.variants[0].id);
    }
    const items = (...quantities: number[]) =>
      quantities.map((quantity, i) => ({ variantId: variantIds[i], quantity }));
    const set = async (what: 'taxes' | 'shipping', body: object) =>
      expectStatus(await owner.call('PUT', `${path}/${what}`, body), 200).body[what];
    const quote = (json: object) => send(system.baseUrl, 'POST', `/storefront/${storeId}/quotes`, { json });
    const order = (json: object, key = `key-${++keys}`) =>
      send(system.baseUrl, 'POST', `/storefront/${storeId}/orders`, {
        headers: { 'idempotency-key': key },
        json: { customer: { name: 'Bob', email: buyer() }, ...json },
      });
    const discount = async (json: object) =>
      expectStatus(await call('POST', '/api/v1/discounts', { title: 'Sale', ...json }), 201).body.discount;
    return { storeId, path, call, productIds, variantIds, items, set, quote, order, discount };
  }

  const rate = (country: string, percent: string, more: object = {}) => ({
    country,
    category: 'standard',
    name: 'VAT',
    percent,
    ...more,
  });
  const flat = (priceCents: number, more: object = {}) => ({
    name: 'Parcel',
    kind: 'flat',
    priceCents,
    ...more,
  });
  const at = (country: string, more: object = {}) => ({
    customer: { name: 'Bob', email: buyer(), shippingAddress: { country, ...more } },
  });

  test('a store without rules keeps its totals, and has the new fields', async () => {
    const store = await openStore(333);
    const placed = expectStatus(await store.order({ items: store.items(3) }), 201).body.order;
    const quoted = expectStatus(await store.quote({ items: store.items(3) }), 200).body.quote;
    const plain = { subtotalCents: 999, discountCents: 0, shippingCents: 0, taxCents: 0, totalCents: 999 };
    const none = {
      taxLines: [],
      discounts: [],
      shippingTaxCents: 0,
      taxIncluded: true,
      reverseCharge: false,
    };
    expect(placed).toMatchObject({ ...plain, ...none, shippingRate: null, vatId: null, locale: null });
    expect(quoted).toMatchObject({ ...plain, ...none, missing: [], shippingRates: [], shippingRateId: null });
    expect(placed.lineItems).toMatchObject([
      { options: {}, discountCents: 0, taxCents: 0, taxPercent: null, totalCents: 999 },
    ]);
  });

  // Facts from tax offices and from the documentation of other shops, and known errors of other systems.
  const examples: [string, number[], object, number, Record<string, unknown>][] = [
    ['19 % in 11.90', [1190], { rates: [rate('DE', '19')] }, 0, { taxCents: 190, totalCents: 1190 }],
    [
      '19 % on 10.00',
      [1000],
      { rates: [rate('DE', '19')], pricesIncludeTax: false },
      0,
      { taxCents: 190, totalCents: 1190 },
    ],
    [
      '19 % on 0.01',
      [1],
      { rates: [rate('DE', '19')], pricesIncludeTax: false },
      0,
      { taxCents: 0, totalCents: 1 },
    ],
    [
      '21 % on 45, 49 and 4.96 of shipping',
      [4500, 4900],
      { rates: [rate('DE', '21')], pricesIncludeTax: false },
      496,
      { taxCents: 2078, shippingTaxCents: 104, totalCents: 11974 },
    ],
    [
      'ten lines whose taxes one by one are a cent off',
      Array(10).fill(99),
      { rates: [rate('DE', '19')] },
      0,
      { taxCents: 158, totalCents: 990 },
    ],
    [
      'a third of a percent',
      [300_000],
      { rates: [rate('DE', '0.3333')], pricesIncludeTax: false },
      0,
      { taxCents: 1000 },
    ],
    [
      '0 % is a tax line',
      [500],
      { rates: [rate('DE', '0')] },
      0,
      { taxCents: 0, taxLines: [{ name: 'VAT', percent: '0', baseCents: 500, taxCents: 0 }] },
    ],
    [
      'shipping that is not taxed',
      [1190],
      { rates: [rate('DE', '19')], shipping: 'none' },
      500,
      { taxCents: 190, shippingTaxCents: 0, totalCents: 1690 },
    ],
  ];
  inOneTopology.each(examples)(
    '%s comes to the same in quote and order',
    async (_, prices, taxes, shipping, expected) => {
      const store = await openStore(...prices);
      await store.set('taxes', taxes);
      if (shipping > 0)
        await store.set('shipping', { zones: [{ name: 'All', countries: ['*'], rates: [flat(shipping)] }] });
      const items = store.items(...prices.map(() => 1));
      const { quote } = expectStatus(await store.quote({ items, country: 'DE', explain: true }), 200).body;
      expect(quote).toMatchObject(expected);
      const steps: { amountCents: number }[] = quote.steps;
      expect(steps.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(quote.totalCents);
      const reply = await store.order({ items, ...at('DE'), expectedTotalCents: quote.totalCents });
      const { order } = expectStatus(reply, 201).body;
      for (const field of [
        'subtotalCents',
        'discountCents',
        'shippingCents',
        'shippingTaxCents',
        'taxCents',
        'taxLines',
        'totalCents',
      ])
        expect([field, order[field]]).toEqual([field, quote[field]]);
      expect(order.lineItems.map(({ taxCents }: { taxCents: number }) => taxCents)).toEqual(
        quote.lines.map(({ taxCents }: { taxCents: number }) => taxCents),
      );
    },
  );

  inOneTopology(
    'taxes are set by admins, with pointers to what is wrong, keep what is left out, and are audited',
    async () => {
      const store = await openStore();
      const path = `${store.path}/taxes`;
      const { taxes } = expectStatus(await owner.call('GET', path), 200).body;
      expect(taxes).toEqual({
        pricesIncludeTax: true,
        homeCountry: null,
        elsewhere: 'none',
        categories: ['standard'],
        rates: [],
        shipping: 'proportional',
        reverseCharge: false,
        displayNote: '',
      });
      const wrong = async (body: object) => {
        const reply = expectStatus(await owner.call('PUT', path, body), 400);
        return [reply.body.code, reply.body.details.map(({ pointer }: { pointer: string }) => pointer)];
      };
      expect(await wrong({ rates: [rate('DE', '19'), rate('DE', '7')] })).toEqual([
        'invalid_body',
        ['/rates/1'],
      ]);
      expect(await wrong({ rates: [rate('DE', '7', { category: 'books' })] })).toEqual([
        'invalid_body',
        ['/rates/0/category'],
      ]);
      for (const bad of [rate('XX', '1'), rate('DE', '101'), rate('DE', '1.23456'), rate('DE', '-1')])
        expect((await wrong({ rates: [bad] }))[0]).toBe('invalid_body');
      const other = await openStore();
      expect((await other.set('taxes', { categories: [] })).categories).toEqual(['standard']);
      expect((await other.set('taxes', { categories: ['books'] })).categories).toEqual(['standard', 'books']);
      const longest = rate('DE', '19', { name: 'x'.repeat(200) });
      expect((await store.set('taxes', { rates: [longest] })).rates).toMatchObject([longest]);
      await store.set('taxes', { rates: [] });
      await store.set('taxes', { homeCountry: 'DE', displayNote: 'Hello' });
      const { taxes: preset } = expectStatus(
        await owner.call('POST', `${path}/presets`, { preset: 'eu' }),
        200,
      ).body;
      expect(preset).toMatchObject({ homeCountry: 'DE', displayNote: 'Hello' });
      expect(preset.rates).toContainEqual({
        country: 'DE',
        region: null,
        category: 'reduced',
        name: 'MwSt.',
        percent: '7',
      });
      expect(new Set(preset.rates.map(({ country }: { country: string }) => country)).size).toBe(27);

      const editor = await newPerson(system.baseUrl, 'Ed');
      await join(owner, store.storeId, editor, 'editor');
      expectStatus(await editor.call('GET', path), 200);
      expect((await editor.call('PUT', path, {})).body.code).toBe('insufficient_role');
      expect((await editor.call('PUT', `${store.path}/shipping`, {})).body.code).toBe('insufficient_role');
      expectStatus(
        await editor.call('POST', `${store.path}/discounts`, { title: 'A', kind: 'freeShipping' }),
        201,
      );
      const { entries } = expectStatus(
        await owner.call('GET', `${store.path}/audit?action=taxes.updated`),
        200,
      ).body;
      expect(entries).toHaveLength(4);
    },
  );

  inOneTopology(
    'shipping goes by the narrowest zone, by weight, by what is sent, and refuses what it does not offer',
    async () => {
      const store = await openStore(1000);
      const shipping = await store.set('shipping', {
        zones: [
          { name: 'World', countries: ['*'], rates: [flat(2000)] },
          {
            name: 'Germany',
            countries: ['DE'],
            rates: [
              flat(0, { name: 'Pick up', kind: 'pickup' }),
              flat(490, { freeFromCents: 5000, minDays: 1, maxDays: 3 }),
              { name: 'By value', kind: 'subtotal', steps: [{ from: 3000, priceCents: 300 }] },
              flat(900, { name: 'Off', isEnabled: false }),
            ],
          },
          { name: 'Berlin', countries: ['DE'], postalCodes: ['10*'], rates: [flat(100)] },
          { name: 'Nowhere', countries: ['AT'], rates: [] },
        ],
      });
      const ids = shipping.zones.flatMap(({ id, rates }: { id: string; rates: { id: string }[] }) => [
        id,
        ...rates.map((r) => r.id),
      ]);
      expect(new Set(ids).size).toBe(10);
      const longest = 'x'.repeat(200);
      const named = { name: longest, countries: ['AT'], rates: [flat(1, { name: longest })] };
      expect((await store.set('shipping', { zones: [...shipping.zones, named] })).zones[4]).toMatchObject({
        name: longest,
        rates: [{ name: longest }],
      });
      const again = await store.set('shipping', {
        zones: [...shipping.zones, { id: 'shz_unknown', name: 'More', countries: ['FR'], rates: [flat(1)] }],
      });
      expect(again.zones.slice(0, 4)).toEqual(shipping.zones);
      expect(again.zones[4].id).not.toBe('shz_unknown');

      const quote = async (body: object, quantity = 1) =>
        (await store.quote({ items: store.items(quantity), ...body })).body;
      expect((await quote({ country: 'US' })).quote).toMatchObject({ shippingCents: 2000, totalCents: 3000 });
      const de = (await quote({ country: 'DE' })).quote;
      expect(de.shippingRates.map(({ name }: { name: string }) => name)).toEqual(['Pick up', 'Parcel']);
      expect(de).toMatchObject({ shippingCents: 490, missing: [] });
      expect((await quote({ country: 'DE' }, 4)).quote).toMatchObject({ shippingCents: 300 });
      expect((await quote({ country: 'DE' }, 5)).quote).toMatchObject({ shippingCents: 0 });
      expect((await quote({ country: 'DE', postalCode: '1 0115' })).quote).toMatchObject({
        shippingCents: 100,
      });
      expect(await quote({ country: 'AT' })).toMatchObject({ code: 'no_shipping' });
      expect(await quote({ country: 'US', shippingRateId: de.shippingRateId })).toMatchObject({
        code: 'invalid_shipping_rate',
      });
      expect((await quote({})).quote).toMatchObject({
        missing: ['country'],
        shippingCents: 0,
        shippingRates: [],
      });

      const items = store.items(1);
      expect((await store.order({ items })).body).toMatchObject({
        code: 'invalid_body',
        details: [{ pointer: '/customer/shippingAddress/country' }],
      });
      expect((await store.order({ items, ...at('AT') })).body.code).toBe('no_shipping');
      const pickup = de.shippingRates[0].id;
      const { order } = expectStatus(
        await store.order({ items, ...at('DE'), shippingRateId: pickup }),
        201,
      ).body;
      expect(order).toMatchObject({ shippingCents: 0, shippingRate: { id: pickup, name: 'Pick up' } });
      for (const [zones, pointer] of [
        [
          [{ name: 'A', countries: ['DE'], rates: [{ name: 'B', kind: 'flat' }] }],
          '/zones/0/rates/0/priceCents',
        ],
        [
          [{ name: 'A', countries: ['DE'], rates: [{ name: 'B', kind: 'weight' }] }],
          '/zones/0/rates/0/steps',
        ],
        [
          [
            {
              name: 'A',
              countries: ['DE'],
              rates: [
                {
                  name: 'B',
                  kind: 'weight',
                  steps: [
                    { from: 2, priceCents: 1 },
                    { from: 2, priceCents: 2 },
                  ],
                },
              ],
            },
          ],
          '/zones/0/rates/0/steps/1/from',
        ],
        [[{ name: 'A', countries: ['*', 'DE'], rates: [] }], '/zones/0/countries'],
      ] as const) {
        const reply = await owner.call('PUT', `${store.path}/shipping`, { zones });
        expect([reply.body.code, reply.body.details[0].pointer]).toEqual(['invalid_body', pointer]);
      }
    },
  );

  inOneTopology(
    'a business of another country of the EU owes the tax itself, by an id that is checked',
    async () => {
      const store = await openStore(1190);
      await store.set('taxes', {
        homeCountry: 'DE',
        reverseCharge: true,
        rates: [rate('DE', '19'), rate('FR', '20')],
      });
      await store.set('shipping', { zones: [{ name: 'All', countries: ['*'], rates: [flat(595)] }] });
      const items = store.items(1);
      const vatId = 'FR 40 303 265 045';
      const { order } = expectStatus(await store.order({ items, ...at('FR'), vatId }), 201).body;
      expect(order).toMatchObject({
        reverseCharge: true,
        vatId,
        taxCents: 0,
        subtotalCents: 1000,
        shippingCents: 500,
        totalCents: 1500,
        taxLines: [],
      });
      expect(order.lineItems[0]).toMatchObject({ unitPriceCents: 1190, totalCents: 1000, taxPercent: null });
      for (const bad of ['FR40303265046', 'DE136695976', 'GB980780684', 'hello'])
        expect((await store.order({ items, ...at('FR'), vatId: bad })).body.code).toBe('invalid_vat_id');
      // If it does not matter, it is stored and not checked.
      const placed = expectStatus(await store.order({ items, ...at('DE'), vatId: 'hello' }), 201).body;
      const home = { reverseCharge: false, vatId: 'hello', totalCents: 1785, taxCents: 285 };
      expect(placed.order).toMatchObject(home);
      const { slug } = expectStatus(
        await owner.call('PATCH', store.path, { locales: ['en', 'de', 'fr'] }),
        200,
      ).body.store;
      for (const [language, tax] of [
        ['', '<dt>incl. 19 % VAT</dt><dd>€2.85</dd>'],
        ['de/', '<dt>inkl. 19 % VAT</dt><dd>2,85&nbsp;€</dd>'],
        ['fr/', '<dt>dont 19 % VAT</dt><dd>2,85&nbsp;€</dd>'],
      ]) {
        const page = await send(system.baseUrl, 'GET', `/s/${slug}/${language}orders/${placed.token}`);
        expect(page.text).toContain(tax);
      }
      // In the order's language if the address names none, even if the shop has no pages in that language.
      for (const [locale, start, tax] of [
        ['de-AT', '<html lang="de"', '<dt>inkl. 19 % VAT</dt><dd>2,85&nbsp;€</dd>'],
        ['nl', '<div lang="nl">', '<dt>incl. 19 % VAT</dt><dd>€&nbsp;2,85</dd>'],
      ]) {
        const { token } = expectStatus(await store.order({ items, ...at('DE'), locale }), 201).body;
        const page = await send(system.baseUrl, 'GET', `/s/${slug}/orders/${token}`);
        for (const piece of [start, tax, 'href="../favicon.svg"']) expect(page.text).toContain(piece);
      }
    },
  );

  inOneTopology('discounts of every kind, the best set, and why a code is refused', async () => {
    const store = await openStore(1000, 500);
    const [first, second] = store.productIds;
    const quote = async (discountCodes: string[], quantities = [1, 1]) =>
      expectStatus(await store.quote({ items: store.items(...quantities), discountCodes }), 200).body.quote;
    await store.discount({ code: 'TEN', kind: 'percentage', percent: '10', isCombinable: true });
    await store.discount({
      code: 'Früh',
      kind: 'amount',
      amountCents: 200,
      isCombinable: true,
      appliesTo: { kind: 'products', ids: [second] },
    });
    await store.discount({ code: 'BIG', kind: 'amount', amountCents: 300, minimum: { subtotalCents: 2000 } });
    await store.discount({ code: 'OTHER', kind: 'percentage', percent: '1' });
    await store.discount({ code: 'LATE', kind: 'percentage', percent: '1', endsAt: '2020-01-01T00:00:00Z' });
    await store.discount({
      code: 'SOON',
      kind: 'percentage',
      percent: '1',
      startsAt: '2100-01-01T00:00:00Z',
    });
    await store.discount({ code: 'OFF', kind: 'percentage', percent: '1', status: 'disabled' });
    await store.discount({
      code: 'BOGO',
      kind: 'buyXGetY',
      buy: { quantity: 1, appliesTo: { kind: 'products', ids: [first] } },
      get: { quantity: 1, appliesTo: { kind: 'products', ids: [second] } },
    });
    expect(await quote(['ten', 'TEN ', 'FRUH'])).toMatchObject({
      discountCents: 330,
      totalCents: 1170,
      rejectedCodes: [],
    });
    expect(await quote(['BOGO'])).toMatchObject({ discountCents: 500, totalCents: 1000 });
    expect((await quote(['nope', 'SOON', 'LATE', 'OFF', 'BIG', 'OTHER', 'BOGO'])).rejectedCodes).toEqual([
      { code: 'nope', reason: 'unknown' },
      { code: 'SOON', reason: 'notStarted' },
      { code: 'LATE', reason: 'ended' },
      { code: 'OFF', reason: 'disabled' },
      { code: 'BIG', reason: 'minimum' },
      { code: 'OTHER', reason: 'notCombinable' },
    ]);
    expect((await quote(['Früh'], [1])).rejectedCodes).toEqual([{ code: 'Früh', reason: 'nothingApplies' }]);

    const items = store.items(1, 1);
    const refused = await store.order({ items, discountCodes: ['TEN', 'nope'] });
    expect([refused.status, refused.body.code, refused.body.rejectedCodes]).toEqual([
      409,
      'discount_rejected',
      [{ code: 'nope', reason: 'unknown' }],
    ]);
    const changed = await store.order({ items, discountCodes: ['TEN'], expectedTotalCents: 1500 });
    expect([changed.status, changed.body.code, changed.body.quote.totalCents]).toEqual([
      409,
      'total_changed',
      1350,
    ]);
    // A code that merely cannot be combined is no reason for a refusal.
    const { order } = expectStatus(
      await store.order({ items, discountCodes: ['OTHER', 'TEN'], locale: 'de-de' }),
      201,
    ).body;
    expect(order).toMatchObject({
      totalCents: 1350,
      discountCents: 150,
      locale: 'de-DE',
      discounts: [{ code: 'TEN', amountCents: 150 }],
    });
    expect(
      (await store.call('POST', '/api/v1/discounts', { title: 'A', code: 'fruh', kind: 'freeShipping' })).body
        .code,
    ).toBe('duplicate_code');
    for (const [body, pointer] of [
      [{ kind: 'percentage' }, '/percent'],
      [{ kind: 'amount' }, '/amountCents'],
      [{ kind: 'buyXGetY', get: { quantity: 1 } }, '/buy'],
      [{ kind: 'freeShipping', code: 'A B' }, '/code'],
      [{ kind: 'percentage', percent: '1', appliesTo: { kind: 'tags' } }, '/appliesTo/tags'],
    ] as const)
      expect((await store.call('POST', '/api/v1/discounts', { title: 'A', ...body })).body).toMatchObject({
        code: 'invalid_body',
        details: [{ pointer }],
      });
  });

  inOneTopology('a change of what a discount applies to keeps what it leaves out', async () => {
    const store = await openStore(1000, 2000);
    const [first, second] = store.productIds;
    const patch = (id: string, json: object) => store.call('PATCH', `/api/v1/discounts/${id}`, json);
    const { id } = await store.discount({
      kind: 'percentage',
      percent: '10',
      appliesTo: { kind: 'products', ids: [first] },
    });
    const narrowed = expectStatus(await patch(id, { appliesTo: { ids: [second] } }), 200).body.discount;
    expect(narrowed.appliesTo).toEqual({ kind: 'products', ids: [second] });
    const named = expectStatus(await patch(id, { appliesTo: { kind: 'products' } }), 200).body.discount;
    expect(named.appliesTo).toEqual({ kind: 'products', ids: [second] });
    const moved = expectStatus(await patch(id, { appliesTo: { kind: 'categories' } }), 400).body;
    expect(moved).toMatchObject({ code: 'invalid_body', details: [{ pointer: '/appliesTo/ids' }] });

    const whole = await store.discount({ kind: 'percentage', percent: '10' });
    expect(expectStatus(await patch(whole.id, { appliesTo: { ids: [first] } }), 400).body).toMatchObject({
      code: 'invalid_body',
      details: [{ pointer: '/appliesTo/kind' }],
    });

    const to = (productId?: string) => ({ kind: 'products', ids: [productId] });
    const pair = await store.discount({
      kind: 'buyXGetY',
      buy: { quantity: 2, appliesTo: to(first) },
      get: { quantity: 1, appliesTo: to(second), percent: '50' },
    });
    const changes = { buy: { appliesTo: { ids: [second] } }, get: { quantity: 3 } };
    expect(expectStatus(await patch(pair.id, changes), 200).body.discount).toMatchObject({
      buy: { quantity: 2, appliesTo: to(second) },
      get: { quantity: 3, appliesTo: to(second), percent: '50' },
    });

    const incomplete = { title: 'Sale', kind: 'percentage', percent: '10', appliesTo: { ids: [first] } };
    const refused = expectStatus(await store.call('POST', '/api/v1/discounts', incomplete), 400).body;
    expect(refused).toMatchObject({ code: 'invalid_body', details: [{ pointer: '/appliesTo/kind' }] });
  });

  inOneTopology(
    'a limit for each customer is looked at in the order and in a member’s quote, not by strangers',
    async () => {
      const store = await openStore(1000);
      const { id } = await store.discount({
        code: 'ONCE',
        kind: 'percentage',
        percent: '10',
        limits: { perCustomer: 1 },
      });
      const items = store.items(1);
      const once = { items, discountCodes: ['ONCE'], customer: { name: 'Bob', email: 'Once@Example.com' } };
      const { order } = expectStatus(await store.order(once), 201).body;
      const refusal = async (json: object) => {
        const { body } = expectStatus(await store.order({ ...once, ...json }), 409);
        return [body.code, body.rejectedCodes ?? body.quote.totalCents];
      };
      expect(await refusal({})).toEqual(['discount_rejected', [{ code: 'ONCE', reason: 'usedUp' }]]);
      expect(await refusal({ expectedTotalCents: 900 })).toEqual([
        'discount_rejected',
        [{ code: 'ONCE', reason: 'usedUp' }],
      ]);
      expect(await refusal({ expectedTotalCents: 1000 })).toEqual(['total_changed', 900]);
      // An automatic discount: only a request with the price for strangers learns the price for this customer.
      const automatic = await store.discount({
        kind: 'amount',
        amountCents: 300,
        limits: { perCustomer: 1 },
      });
      const customer = { name: 'Ada', email: 'automatic@example.com' };
      expectStatus(await store.order({ items, customer, expectedTotalCents: 700 }), 201);
      const again = async (expectedTotalCents: number) => {
        const { status, body } = await store.order({ items, customer, expectedTotalCents });
        return [status, body.quote?.totalCents];
      };
      expect(await again(1)).toEqual([409, 700]);
      expect(await again(700)).toEqual([409, 1000]);
      expect(await again(1000)).toEqual([201, undefined]);
      expectStatus(await store.call('DELETE', `/api/v1/discounts/${automatic.id}`), 204);
      const stranger = (await store.quote({ items, discountCodes: ['ONCE'] })).body.quote;
      expect(stranger).toMatchObject({ totalCents: 900, rejectedCodes: [] });
      const quoteInput = { items, discountCodes: ['ONCE'], email: 'once@example.com' };
      const member = expectStatus(await owner.call('POST', `${store.path}/quotes`, quoteInput), 200).body
        .quote;
      expect(member).toMatchObject({ totalCents: 1000, rejectedCodes: [{ code: 'ONCE', reason: 'usedUp' }] });

      const patched = expectStatus(
        await store.call('PATCH', `/api/v1/discounts/${id}`, { limits: { total: 1 } }),
        200,
      ).body.discount;
      expect(patched).toMatchObject({ limits: { total: 1, perCustomer: 1 }, usedCount: 1, code: 'ONCE' });
      const path = `/api/v1/discounts/${patched.id}`;
      const { etag = '' } = (await store.call('GET', path)).headers;
      expect((await store.call('GET', path, undefined, { 'if-none-match': etag })).status).toBe(304);
      expect((await store.quote({ items, discountCodes: ['ONCE'] })).body.quote.rejectedCodes).toEqual([
        { code: 'ONCE', reason: 'usedUp' },
      ]);
      expectStatus(await store.call('PATCH', `/api/v1/orders/${order.id}`, { status: 'cancelled' }), 200);
      expectStatus(await store.order(once), 201);
      expectStatus(await store.call('DELETE', `/api/v1/discounts/${id}`), 204);
      expect((await store.call('GET', `/api/v1/discounts/${id}`)).status).toBe(404);
    },
  );

  inOneTopology(
    'a member learns what a discount would have taken off the orders of the last days',
    async () => {
      const store = await openStore(1000, 300);
      await store.set('shipping', { zones: [{ name: 'All', countries: ['*'], rates: [flat(500)] }] });
      const tagged = { tags: ['sale'] };
      expectStatus(await store.call('PATCH', `/api/v1/products/${store.productIds[1]}`, tagged), 200);
      const shippingAddress = {
        line1: '1 High Street',
        city: 'London',
        postalCode: 'SW1A 1AA',
        country: 'GB',
      };
      const customer = { name: 'Bob', email: 'bob@example.com', shippingAddress };
      for (const quantities of [[2, 1], [1], [1, 3]])
        expectStatus(await store.order({ items: store.items(...quantities), customer }), 201);
      const gone = expectStatus(await store.order({ items: store.items(9), customer }), 201).body.order;
      expectStatus(await store.call('PATCH', `/api/v1/orders/${gone.id}`, { status: 'cancelled' }), 200);
      const estimate = async (discount: object, days?: number) =>
        expectStatus(
          await owner.call('POST', `${store.path}/reports/discounts`, {
            discount: { title: 'Sale', ...discount },
            days,
          }),
          200,
        ).body.estimate;
      const all = { orders: 3, totalCents: 2300 + 500 + 1000 + 500 + 1900 + 500, isComplete: true };
      const half = { kind: 'percentage', percent: '50' };
      expect(await estimate(half)).toEqual({ ...all, ordersWithDiscount: 3, discountCents: 2600 });
      const first = { kind: 'products', ids: [store.productIds[0]] };
      expect(await estimate({ ...half, code: 'FIRST', appliesTo: first, minimum: { quantity: 2 } })).toEqual({
        ...all,
        ordersWithDiscount: 1,
        discountCents: 1000,
      });
      const onSale = { kind: 'tags', tags: ['sale'] };
      expect(await estimate({ kind: 'amount', amountCents: 100, appliesTo: onSale })).toEqual({
        ...all,
        ordersWithDiscount: 2,
        discountCents: 400,
      });
      const free = { kind: 'freeShipping', minimum: { subtotalCents: 2000 } };
      expect(await estimate(free, 1)).toEqual({ ...all, ordersWithDiscount: 1, discountCents: 500 });
      const refused = await owner.call('POST', `${store.path}/reports/discounts`, {
        discount: { title: 'x', kind: 'amount' },
      });
      expect(refused).toMatchObject({
        status: 400,
        body: { details: [{ pointer: '/discount/amountCents' }] },
      });
      const { total } = (await store.call('GET', '/api/v1/discounts')).body;
      expect(total).toBe(0);
    },
  );

  test('an automatic discount applies by itself, and its limit is exact when many come at once', async () => {
    const store = await openStore(1000);
    const { id } = await store.discount({ kind: 'percentage', percent: '50', limits: { total: 5 } });
    const items = store.items(1);
    const replies = await Promise.all(Array.from({ length: 20 }, () => store.order({ items })));
    const totals = replies.map((reply) => expectStatus(reply, 201).body.order.totalCents);
    expect(totals.sort((a, b) => a - b)).toEqual([...Array(5).fill(500), ...Array(15).fill(1000)]);
    expect((await store.call('GET', `/api/v1/discounts/${id}`)).body.discount.usedCount).toBe(5);
  });

  inOneTopology('inactive products do not count in a quote, out-of-stock ones do', async () => {
    const store = await openStore(1000);
    const [known] = store.items(1);
    const items = [
      known,
      ...[`var_${'0'.repeat(26)}`, 'var_unknown'].map((variantId) => ({ variantId, quantity: 2 })),
    ];
    const { quote } = expectStatus(await store.quote({ items }), 200).body;
    expect(
      quote.lines.map(({ problem, totalCents }: { problem: string; totalCents: number }) => [
        problem,
        totalCents,
      ]),
    ).toEqual([
      [null, 1000],
      ['unavailable', 0],
      ['unavailable', 0],
    ]);
    expect((await store.quote({ items: [{ ...known, quantity: 0 }] })).status).toBe(400);
  });
});
