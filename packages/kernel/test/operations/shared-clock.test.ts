import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@waybill/testing';
import { SharedClock } from '../../src/index.ts';

test('is read once for simultaneous callers, and is never behind, however slow the answer', async () => {
  let requests = 0;
  const clock = new SharedClock(async () => {
    requests++;
    const time = performance.now() + 3_600_000;
    await sleep(30);
    return time;
  });
  const read = async () => [await clock.read(), performance.now() + 3_600_000] as const;
  for (const [time, now] of await Promise.all([read(), read(), read()])) {
    // A clock that ignored the duration of the answer would be thirty behind.
    expect(time).toBeGreaterThan(now - 25);
    expect(time).toBeLessThan(now + 1_000);
  }
  expect(requests).toBe(1);
});

test('follows a clock that was set, and continues without answers', async () => {
  let time = 1_000_000;
  const clock = new SharedClock(async () => time, 0);
  expect(await clock.read()).toBeLessThan(1_100_000);
  time = 9_000_000;
  await eventually(async () => (await clock.read()) >= 9_000_000);
  time = Number.NaN;
  const silent = new SharedClock(async () => {
    if (Number.isNaN(time)) throw new Error('away');
    return time;
  }, 0);
  await expect(silent.read()).rejects.toThrow('away');
  time = 5_000_000;
  const first = await silent.read();
  time = Number.NaN;
  await silent.read();
  await eventually(async () => (await silent.read()) > first + 20);
});
