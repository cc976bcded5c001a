import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { createSigningKeys, signCall } from '../src/sending/signature.ts';

const formatSecret = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString('base64')}`;
const secret = formatSecret(Buffer.alloc(32, 7));
const otherKeys = createSigningKeys(formatSecret(Buffer.alloc(32, 8)));
const call = {
  keys: createSigningKeys(secret),
  eventId: 'evt_1',
  eventType: 'product.created',
  attempt: 3,
  body: '{"id":"evt_1"}',
  now: new Date('2026-11-21T06:00:00.999Z'),
};

describe('sign', () => {
  it('returns the headers of the contract', () => {
    const signature = createHmac('sha256', secret).update('1795240800.{"id":"evt_1"}').digest('hex');
    expect(signCall(call)).toMatchObject({
      'Content-Type': 'application/json',
      'User-Agent': 'Waybill-Webhooks/1',
      'X-WB-Signature': `sha256=${signature}`,
      'X-WB-Timestamp': '2026-11-21T06:00:00.999Z',
      'X-WB-Event-Id': 'evt_1',
      'X-WB-Event-Type': 'product.created',
      'X-WB-Attempt': '3',
    });
  });

  it('verifies by either scheme, for any body and secret', () => {
    const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(secrets, fc.json(), (bytes, body) => {
        const secret = formatSecret(bytes);
        const headers = signCall({ ...call, keys: createSigningKeys(secret), body, now: new Date() });
        const seconds = Math.floor(Date.parse(headers['X-WB-Timestamp']!) / 1000);
        const signed = Buffer.concat([Buffer.from(`${seconds}.`), Buffer.from(body)]);
        const expected = createHmac('sha256', Buffer.from(secret, 'ascii')).update(signed).digest('hex');
        expect(headers['X-WB-Signature']).toBe(`sha256=${expected}`);
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
      }),
    );
  });

  it('changes with the body and with the secret', () => {
    const signatures = [call, { ...call, body: '{}' }, { ...call, keys: otherKeys }].map(
      (each) => signCall(each)['X-WB-Signature'],
    );
    expect(new Set(signatures).size).toBe(3);
    const other = { ...call, keys: otherKeys, now: new Date() };
    expect(() => new Webhook(secret).verify(call.body, signCall(other))).toThrow();
  });

  it('verifies by the old and the new secret during a rotation, by either scheme', () => {
    const next = formatSecret(Buffer.alloc(32, 8));
    const headers = signCall({ ...call, nextKeys: otherKeys, now: new Date() });
    for (const each of [secret, next]) {
      expect(new Webhook(each).verify(call.body, headers)).toEqual(JSON.parse(call.body));
    }
    expect(() => new Webhook(formatSecret(Buffer.alloc(32, 9))).verify(call.body, headers)).toThrow();
    const seconds = headers['webhook-timestamp'];
    const ours = (key: string) =>
      `sha256=${createHmac('sha256', key).update(`${seconds}.${call.body}`).digest('hex')}`;
    expect(headers).toMatchObject({ 'X-WB-Signature': ours(secret), 'X-WB-Signature-Next': ours(next) });
    expect(signCall(call)).not.toHaveProperty('X-WB-Signature-Next');
  });

  it('marks test calls, and no other calls', () => {
    expect(signCall({ ...call, isTest: true })['X-WB-Test']).toBe('1');
    expect(signCall(call)).not.toHaveProperty('X-WB-Test');
  });
});
