import { eventually, startSystem } from '@waybill/testing';
import Type from 'typebox';
import { defineConfig, defineService } from '../../src/index.ts';

test('a stop refuses new work before it waits for what is in flight', async () => {
  const inFlight = Promise.withResolvers<void>();
  let hasBegun = false;
  const service = defineService({
    name: 'stopped',
    config: defineConfig(Type.Object({})),
    aggregates: [],
    tasks: () => [
      {
        name: 'long',
        everyMs: 60_000,
        async run() {
          hasBegun = true;
          await inFlight.promise;
        },
      },
    ],
  });
  const system = await startSystem([service]);
  const health = `${system.internalUrl}/health/live`;
  await eventually(() => hasBegun);
  expect((await fetch(health)).ok).toBe(true);
  let isStopped = false;
  const stopping = system.stop().then(() => {
    isStopped = true;
  });
  await eventually(() =>
    fetch(health).then(
      () => false,
      () => true,
    ),
  );
  expect(isStopped).toBe(false);
  inFlight.resolve();
  await stopping;
});
