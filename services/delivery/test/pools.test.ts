import { setImmediate } from 'node:timers/promises';
import { parseTrustedTargets } from '@waybill/outbound';
import type { Dispatcher } from 'undici';
import { createConnector } from '../src/sending/connector.ts';
import { createPools } from '../src/sending/pools.ts';
import { startHttpReceiver, startRawReceiver, waitUntilClosed } from './receivers.ts';

/** Makes one call that is aborted as soon as the receiver has it, as a deadline would do. */
function abortedCall(pool: Dispatcher): Promise<void> {
  return new Promise((resolve) => {
    let running: Dispatcher.DispatchController;
    pool.dispatch(
      { path: '/', method: 'POST', body: '{}' },
      {
        onRequestStart: (controller) => {
          running = controller;
        },
        onRequestSent: () => running.abort(new Error('over')),
        onResponseStart: () => {},
        onResponseData: () => {},
        onResponseEnd: () => {},
        onResponseError: () => resolve(),
      },
    );
  });
}

it('keeps a pool while it has a connection, and drops it afterwards, even after aborted calls', async () => {
  const hanging = await startRawReceiver(() => {});
  const origin = `http://127.0.0.1:${hanging.port}`;
  const trustedTargets = parseTrustedTargets(`127.0.0.1/32:${hanging.port}`);
  const connector = createConnector({ trustedTargets, timeoutMs: 1000 });
  const pools = createPools(connector, 1000);

  const [first, during] = await Promise.all([
    pools.use(origin, undefined, async (pool) => {
      await abortedCall(pool);
      return pool;
    }),
    pools.use(origin, undefined, async (pool) => pool),
  ]);
  expect(during).toBe(first);
  await waitUntilClosed(hanging.sockets[0]!);
  while (connector.open() > 0) await setImmediate();
  const after = await pools.use(origin, undefined, async (pool) => pool);
  expect(after).not.toBe(first);

  await pools.close();
  await hanging.stop();
});

it('gives new calls a new pool after a minute; the call in flight ends on the old one', async () => {
  let finish = () => {};
  const receiver = await startHttpReceiver((_, reply) => {
    reply.write('taken');
    finish = () => reply.end(', whole');
  });
  const { origin } = new URL(receiver.url);
  const trustedTargets = parseTrustedTargets(`127.0.0.1/32:${receiver.port}`);
  const pools = createPools(createConnector({ trustedTargets, timeoutMs: 1000 }), 1000);
  const post = (pool: Dispatcher) => pool.request({ origin, path: '/', method: 'POST' });
  const { now } = performance;
  try {
    await pools.use(origin, undefined, async (first) => {
      const inFlight = await post(first);
      performance.now = () => now.call(performance) + 50_000;
      expect(await pools.use(origin, undefined, async (pool) => pool)).toBe(first);
      performance.now = () => now.call(performance) + 60_000;
      expect(await pools.use(origin, undefined, async (pool) => pool)).not.toBe(first);
      performance.now = now;
      finish();
      expect(await inFlight.body.text()).toBe('taken, whole');
      await expect(post(first)).rejects.toThrow('closed');
    });
  } finally {
    performance.now = now;
    await pools.close();
    await receiver.stop();
  }
});
