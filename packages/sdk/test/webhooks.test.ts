import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { type Model, WaybillError, webhooks } from '../src/index.ts';

const [secret, other] = [webhooks.newSecret(), webhooks.newSecret()] as [string, string];
const event: Model<'Event'> = {
  id: 'evt_1',
  type: 'product.created',
  createdAt: '2026-11-20T10:00:00.000Z',
  data: { product: { id: 'prd_1', name: 'Thé 😀' } },
};
const now = Date.parse('2026-11-20T10:00:00.900Z');
const getCode = (verified: Promise<unknown>) =>
  verified.then(
    () => 'verified',
    (error) => {
      if (error instanceof WaybillError) return error.code;
      throw error;
    },
  );
const without = (headers: Record<string, string>, ...parts: string[]) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !parts.some((part) => name.startsWith(part))),
  );

test('a call is verified by either scheme alone, however its headers come', async () => {
  const { body, headers } = await webhooks.sign(event, secret, { now });
  for (const each of [headers, without(headers, 'webhook-'), without(headers, 'x-wb-')]) {
    const upper = Object.fromEntries(
      Object.entries(each).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const input of [each, upper, new Headers(each)])
      expect(await webhooks.verify(body, input, secret, { now })).toEqual(event);
  }
  for (const raw of [Buffer.from(body), new TextEncoder().encode(body).buffer])
    expect(await webhooks.verify(raw, headers, secret, { now })).toEqual(event);
});

test('a batch is verified as one call, and an event is no batch', async () => {
  const body = JSON.stringify({ events: [event, { ...event, id: 'evt_2' }] });
  const signed = await webhooks.sign(body, secret, { now });
  const events = await webhooks.verifyBatch(body, signed.headers, secret, { now });
  expect(events.map(({ id }) => id)).toEqual(['evt_1', 'evt_2']);
  expect(await getCode(webhooks.verifyBatch(body, signed.headers, other, { now }))).toBe(
    'webhook_signature_invalid',
  );
  const single = await webhooks.sign(event, secret, { now });
  expect(await getCode(webhooks.verifyBatch(single.body, single.headers, secret, { now }))).toBe(
    'webhook_body_invalid',
  );
  expect(await getCode(webhooks.verify(body, signed.headers, secret, { now }))).toBe('webhook_body_invalid');
});

test('what is signed here another’s library takes, and the other way round', async () => {
  const at = new Date();
  const signed = await webhooks.sign(event, secret, { now: at.getTime() });
  expect(new Webhook(secret).verify(signed.body, signed.headers)).toEqual(event);
  const seconds = Math.floor(at.getTime() / 1000);
  const theirs = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': `${seconds}`,
    'webhook-signature': new Webhook(secret).sign('evt_1', at, signed.body),
  };
  expect(await webhooks.verify(signed.body, theirs, secret)).toEqual(event);
});

test('during a rotation whichever secret is held verifies, old, new or both', async () => {
  const { body, headers } = await webhooks.sign(event, secret, { now, nextSecret: other });
  for (const input of [headers, without(headers, 'webhook-'), without(headers, 'x-wb-')])
    for (const secrets of [secret, other, [other, secret]])
      expect(await webhooks.verify(body, input, secrets, { now })).toEqual(event);
  const before = await webhooks.sign(event, secret, { now });
  expect(await getCode(webhooks.verify(before.body, before.headers, other, { now }))).toBe(
    'webhook_signature_invalid',
  );
});

test('a call that is old, or from the future, is refused; how old is the receiver’s choice', async () => {
  const { body, headers } = await webhooks.sign(event, secret, { now });
  const at = (seconds: number, options = {}) =>
    getCode(webhooks.verify(body, headers, secret, { now: now + seconds * 1000, ...options }));
  expect(await Promise.all([at(298), at(-298), at(302), at(-302)])).toEqual([
    'verified',
    'verified',
    'webhook_too_old',
    'webhook_too_old',
  ]);
  expect(await at(3600, { tolerance: 3601 })).toBe('verified');
  // A timely signature that does not verify does not make up for a stale one that would.
  const stale = { ...headers, 'webhook-timestamp': `${Math.floor(now / 1000) + 1000}` };
  expect(await getCode(webhooks.verify(body, stale, secret, { now: now + 1_000_000 }))).toBe(
    'webhook_signature_invalid',
  );
});

test('no change to body, headers or secret verifies', async () => {
  const { body, headers } = await webhooks.sign(event, secret, { now });
  const names = Object.keys(headers).filter((name) => /signature|timestamp|webhook-id/.test(name));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('body', 'x-wb-', 'webhook-'),
      fc.nat(),
      fc.string({ minLength: 1, maxLength: 3 }),
      async (part, at, put) => {
        const changed = (text: string) =>
          text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1);
        const scheme = part === 'body' ? '' : part;
        const original =
          part === 'body' ? headers : without(headers, scheme === 'x-wb-' ? 'webhook-' : 'x-wb-');
        const target = names.filter((name) => name.startsWith(scheme));
        const name = target[at % target.length]!;
        const changedHeaders = part === 'body' ? headers : { ...original, [name]: changed(original[name]!) };
        const sent = part === 'body' ? changed(body) : body;
        // The text of the time is not signed, only its second is.
        const isSame = sent === body && (changedHeaders[name] === headers[name] || name === 'x-wb-timestamp');
        fc.pre(!isSame);
        const code = await getCode(webhooks.verify(sent, changedHeaders, secret, { now, tolerance: 1e9 }));
        expect(code).toMatch(/^webhook_(not_signed|signature_invalid|too_old)$/);
      },
    ),
    { numRuns: 300 },
  );
});

test('what is no call at all is told apart, and nothing throws otherwise', async () => {
  const verify = (headers: webhooks.ReceivedHeaders, body = '{}') =>
    getCode(webhooks.verify(body, headers, secret, { now }));
  const { headers } = await webhooks.sign(event, secret, { now });
  expect(await verify({})).toBe('webhook_not_signed');
  expect(await verify({ 'x-wb-signature': 'sha256=zz', 'x-wb-timestamp': 'never' })).toBe(
    'webhook_not_signed',
  );
  expect(await verify({ ...headers, 'x-wb-signature': ['a', 'b'], 'webhook-signature': ['c'] })).toBe(
    'webhook_not_signed',
  );
  expect(
    await verify({ ...headers, 'webhook-signature': `v1,${'!'.repeat(50)} v2,${'a'.repeat(43)}=` }),
  ).toBe('webhook_signature_invalid');
  const { 'webhook-signature': theirs, ...rest } = without(headers, 'x-wb-');
  for (const written of [theirs!.slice(0, -1), `${theirs!.slice(0, -1)}\t`, theirs!.replace(/(.)=$/, '$1 =')])
    expect(await verify({ ...rest, 'webhook-signature': written })).toBe('webhook_not_signed');
  const noEvent = await webhooks.sign('hello', secret, { now });
  expect(await verify(noEvent.headers, noEvent.body)).toBe('webhook_body_invalid');
});

test('a receiver that has no secret, or a parsed body, is told what to mend', async () => {
  const { body, headers } = await webhooks.sign(event, secret);
  for (const none of ['', [], [''], undefined as unknown as string])
    await expect(webhooks.verify(body, headers, none)).rejects.toThrow(TypeError);
  await expect(webhooks.verify(JSON.parse(body), headers, secret)).rejects.toThrow(/raw body/);
});

test('a flood of signatures costs no more than a few', async () => {
  const { body, headers } = await webhooks.sign(event, secret, { now });
  const wrong = `v1,${Buffer.alloc(32).toString('base64')} `.repeat(8);
  const flooded = without({ ...headers, 'webhook-signature': wrong + headers['webhook-signature'] }, 'x-wb-');
  expect(await getCode(webhooks.verify(body, flooded, secret, { now }))).toBe('webhook_signature_invalid');
});
