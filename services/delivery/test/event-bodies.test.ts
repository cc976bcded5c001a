import { newId } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import { EventBodies } from '../src/event-bodies.ts';

test('a body is fetched once for simultaneous calls, and again for a later one', async () => {
  let stored = '{"data":{"order":{"customer":{"email":"jane@example.com"}}}}';
  let requests = 0;
  const call = async () => {
    requests++;
    return { body: stored };
  };
  const bodies = new EventBodies({ peers: { call } } as unknown as ConstructorParameters<
    typeof EventBodies
  >[0]);
  const job = { storeId: newId('store'), eventId: newId('event'), body: { bytes: 20_000, isReduced: false } };
  const read = () => bodies.use(job as Parameters<EventBodies['use']>[0], async (body) => String(body));
  expect(new Set([await read(), await read(), await read()])).toEqual(new Set([stored]));
  expect(requests).toBe(1);
  // After an erasure, webhooks holds only ids.
  stored = '{"data":{"order":{"id":"ord_1"}}}';
  const { now } = performance;
  try {
    performance.now = () => now.call(performance) + 11_000;
    await eventually(async () => (await read()) === stored);
  } finally {
    performance.now = now;
  }
});
