import { randomBytes } from 'node:crypto';
import { eventually } from '@waybill/testing';
import { Redis } from 'ioredis';
import { type Cache, createLog, createRedisCache, StartError } from '../../src/index.ts';
import { type CutProxy, startCutProxy } from '../drivers-proxy.ts';
import { describeWith, redisUrl } from '../drivers-servers.ts';
import { cacheSuite } from './cache-suite.ts';

const describeWithRedis = await describeWith('Redis', redisUrl);
const plenty = { perMinute: 60_000, burst: 1000 };

describeWithRedis('Redis', () => {
  const namespace = `wbt-${process.pid}-${randomBytes(4).toString('hex')}`;
  const log = createLog(process.env.TEST_LOG ?? 'silent');
  // A machine that is busy with other suites may be slow.
  const commandTimeoutMs = 2000;
  const create = (url = redisUrl) => createRedisCache({ url, namespace, log, commandTimeoutMs });
  let createdCount = 0;
  const fresh = () => `k${++createdCount}`;
  let server: Redis;
  const keys = () => server.keys(`${namespace}:*`);
  beforeAll(() => {
    server = new Redis(redisUrl);
  });
  afterAll(async () => {
    const left = await keys();
    if (left.length > 0) await server.del(left);
    await server.quit();
  });

  cacheSuite('the Redis cache', async () => create());

  const open: Cache[] = [];
  const opened = (cache: Cache) => {
    open.push(cache);
    return cache;
  };
  afterEach(async () => {
    for (const cache of open.splice(0)) await cache.close();
  });

  /** Whether this cache reaches Redis now: only then is an epoch kept. */
  const isBack = async (cache: Cache) => {
    const epoch = await cache.epoch('probe');
    return (await cache.epoch('probe')) === epoch;
  };
  const keep = async (cache: Cache, key: string, subject: string) =>
    cache.put(key, { subject, epoch: await cache.epoch(subject), value: 'kept' }, 30);

  test('two processes share entries, epochs, buckets and counters', async () => {
    const [one, other] = [opened(create()), opened(create())];
    await eventually(async () => (await isBack(one)) && (await isBack(other)));
    const [key, subject] = [fresh(), fresh()];
    await keep(one, key, subject);
    expect((await other.admit(key, { perMinute: 1, burst: 2 }, [key])).entries[0]?.value).toBe('kept');
    await other.bumpEpoch(subject);
    expect((await one.admit(key, { perMinute: 1, burst: 2 }, [key])).entries[0]).toBeNull();
    expect((await other.takeToken(key, { perMinute: 1, burst: 2 })).allowed).toBe(false);
    await one.count(key, 60, 2);
    expect((await other.count(key, 60, 1)).count).toBe(3);
  });

  test('a bucket is full again if the clock was set back', async () => {
    const cache = opened(create());
    await eventually(() => isBack(cache));
    const [key, limit] = [fresh(), { perMinute: 1, burst: 1 }];
    await cache.takeToken(key, limit);
    expect((await cache.takeToken(key, limit)).allowed).toBe(false);
    const [bucket] = await server.keys(`${namespace}:*${key}`);
    await server.set(bucket!, Number(await server.get(bucket!)) + 3_600_000);
    expect((await cache.takeToken(key, limit)).allowed).toBe(true);
    expect((await cache.takeToken(key, limit)).allowed).toBe(false);
  });

  test('every key expires', async () => {
    const cache = opened(create());
    const key = fresh();
    await keep(cache, key, key);
    await cache.bumpEpoch(fresh());
    await cache.admit(key, plenty, [key]);
    await cache.count(key, 60, 1);
    for (const name of await keys()) expect(await server.pttl(name)).not.toBe(-1);
  });

  test('after a wipe, data and scripts are only missing, and nothing fails', async () => {
    const cache = opened(create());
    const [key, subject] = [fresh(), fresh()];
    const epoch = await cache.epoch(subject);
    await cache.put(key, { subject, epoch, value: 'kept' }, 30);
    await server.script('FLUSH');
    await server.del(await keys());
    expect((await cache.admit(key, plenty, [key])).entries[0]).toBeNull();
    await cache.put(key, { subject, epoch, value: 'of before the wipe' }, 30);
    expect((await cache.admit(key, plenty, [key])).entries[0]).toBeNull();
    expect(await cache.epoch(subject)).not.toBe(epoch);
    expect((await cache.admit(key, plenty, [key])).entries[0]).toBeNull();
  });

  test('an invalid URL is refused without showing its password', () => {
    for (const url of ['hunter2', 'http://:hunter2@host'])
      expect(() => create(url)).toThrow(new StartError('REDIS_URL: must be like redis://host:6379'));
  });

  describe('behind a network that breaks', () => {
    let proxy: CutProxy;
    let cache: Cache;
    beforeEach(async () => {
      proxy = await startCutProxy(redisUrl);
      cache = opened(create(proxy.url));
      await eventually(() => isBack(cache));
    });
    afterEach(() => proxy.close());

    test.each(['cut', 'freeze'] as const)(
      '%s: no call fails, limits hold, and it goes on by itself',
      async (how) => {
        const [key, subject] = [fresh(), fresh()];
        await keep(cache, key, subject);
        proxy[how]();
        await cache.takeToken(key, plenty);
        const startedAt = performance.now();
        const limit = { perMinute: 1, burst: 3 };
        const answers = [];
        for (let i = 0; i < 200; i++) answers.push(await cache.admit(key, limit, [key]));
        expect(answers.every(({ entries }) => entries[0] === null)).toBe(true);
        expect(answers.filter(({ rate }) => rate.allowed).length).toBeGreaterThanOrEqual(2);
        expect(answers.filter(({ rate }) => rate.allowed).length).toBeLessThanOrEqual(3);
        await cache.put(key, { subject, epoch: 'any', value: 'lost' }, 30);
        for (let i = 1; i <= 3; i++) expect((await cache.count(key, 60, 1)).count).toBe(i);
        await cache.resetCount(key);
        expect((await cache.count(key, 60, 0)).count).toBe(0);
        expect(await isBack(cache)).toBe(false);
        // Only the first call waits for a Redis that hangs.
        expect(performance.now() - startedAt).toBeLessThan((answers.length / 10) * commandTimeoutMs);
        proxy.restore();
        await eventually(() => isBack(cache));
        await keep(cache, key, subject);
        expect((await cache.admit(key, plenty, [key])).entries[0]?.value).toBe('kept');
      },
    );

    test.each(['cut', 'freeze'] as const)(
      '%s: a change that Redis missed is heard of first when it is back',
      async (how) => {
        const gateway = opened(create());
        const [key, subject] = [fresh(), fresh()];
        await keep(gateway, key, subject);
        proxy[how]();
        await cache.bumpEpoch(subject);
        proxy.restore();
        await eventually(() => isBack(cache));
        expect((await gateway.admit(key, plenty, [key])).entries[0]).toBeNull();
      },
    );

    test('after an outage, only newer entries are used', async () => {
      const other = opened(create());
      const [key, subject] = [fresh(), fresh()];
      await keep(other, key, subject);
      expect((await cache.admit(key, plenty, [key])).entries[0]?.value).toBe('kept');
      proxy.cut();
      await eventually(async () => !(await isBack(cache)));
      proxy.restore();
      await eventually(() => isBack(cache));
      expect((await cache.admit(key, plenty, [key])).entries[0]).toBeNull();
      await keep(other, key, subject);
      expect((await cache.admit(key, plenty, [key])).entries[0]?.value).toBe('kept');
    });
  });
});
