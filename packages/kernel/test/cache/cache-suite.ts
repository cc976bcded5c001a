import { eventually } from '@waybill/testing';
import type { Cache } from '../../src/index.ts';

let createdCount = 0;
/** Returns a new key for every test: a shared server may hold those of others. */
const fresh = (kind: string) => `suite:${process.pid}:${kind}:${++createdCount}`;
const plenty = { perMinute: 60_000, burst: 1000 };

/** The tests that every cache must pass; each driver runs them. */
export function cacheSuite(title: string, createCache: () => Promise<Cache>): void {
  describe(`${title}, as every cache`, () => {
    let cache: Cache;
    beforeAll(async () => {
      cache = await createCache();
    });
    afterAll(() => cache.close());

    test('returns an entry until the epoch of its subject changes', async () => {
      const [key, subject] = [fresh('key'), fresh('subject')];
      expect((await cache.admit(key, plenty, [key])).entries[0]).toBeNull();
      const entry = { subject, epoch: await cache.epoch(subject), value: '{"a":"ä"}' };
      await cache.put(key, entry, 30);
      expect((await cache.admit(key, plenty, [key])).entries[0]).toMatchObject(entry);
      await cache.bumpEpoch(subject);
      expect((await cache.admit(key, plenty, [key])).entries[0]).toBeNull();
    });

    test('returns several entries in one call, each while its own epoch is current', async () => {
      const [one, other] = [fresh('subject'), fresh('subject')];
      const keys = [fresh('key'), fresh('key'), fresh('key')];
      await cache.put(keys[0]!, { subject: one, epoch: await cache.epoch(one), value: 'first' }, 30);
      await cache.put(keys[2]!, { subject: other, epoch: await cache.epoch(other), value: 'third' }, 30);
      const values = async () => {
        const { entries } = await cache.admit(fresh('bucket'), plenty, keys);
        return entries.map((entry) => entry?.value);
      };
      expect(await values()).toEqual(['first', undefined, 'third']);
      await cache.bumpEpoch(one);
      expect(await values()).toEqual([undefined, undefined, 'third']);
    });

    test('an entry with facts from before a change is not used after the change', async () => {
      const [key, subject] = [fresh('key'), fresh('subject')];
      const epoch = await cache.epoch(subject);
      await cache.bumpEpoch(subject);
      await cache.put(key, { subject, epoch, value: 'old' }, 30);
      expect((await cache.admit(key, plenty, [key])).entries[0]).toBeNull();
    });

    test('an entry is complete, can be replaced, and expires', async () => {
      const [key, subject] = [fresh('key'), fresh('subject')];
      const epoch = await cache.epoch(subject);
      const value = JSON.stringify({ text: '✓ ä\u0000\n"\\', long: 'x'.repeat(50_000) });
      await cache.put(key, { subject, epoch, value: 'replaced' }, 30);
      await cache.put(key, { subject, epoch, value }, 30);
      expect((await cache.admit(key, plenty, [key])).entries[0]).toEqual({ subject, epoch, value });
      await cache.put(key, { subject, epoch, value }, 1);
      await eventually(async () => (await cache.admit(key, plenty, [key])).entries[0] === null);
    });

    test('an epoch stays until it is bumped, and never returns', async () => {
      const subject = fresh('subject');
      const seen = new Set<string>();
      for (let i = 0; i < 5; i++) {
        const epoch = await cache.epoch(subject);
        expect(await cache.epoch(subject)).toBe(epoch);
        seen.add(epoch);
        await cache.bumpEpoch(subject);
      }
      expect(seen.size).toBe(5);
    });

    test('a new epoch of one subject keeps the entries of others', async () => {
      const [key, subject] = [fresh('key'), fresh('subject')];
      await cache.put(key, { subject, epoch: await cache.epoch(subject), value: 'kept' }, 30);
      await cache.bumpEpoch(fresh('subject'));
      expect((await cache.admit(key, plenty, [key])).entries[0]?.value).toBe('kept');
    });

    test('a bucket allows its burst, and reports when the next request is allowed', async () => {
      const key = fresh('bucket');
      const limit = { perMinute: 1, burst: 5 };
      for (let left = 4; left >= 0; left--)
        expect(await cache.takeToken(key, limit)).toMatchObject({ allowed: true, remaining: left });
      const refused = await cache.takeToken(key, limit);
      expect(refused).toMatchObject({ allowed: false, remaining: 0 });
      expect(refused.retryAfterSeconds).toBeGreaterThan(0);
      expect(refused.retryAfterSeconds).toBeLessThanOrEqual(60);
      expect(refused.resetSeconds).toBeGreaterThan(4 * 60);
      expect(refused.resetSeconds).toBeLessThanOrEqual(5 * 60);
    });

    test('an empty bucket refills over time', async () => {
      const key = fresh('bucket');
      const limit = { perMinute: 60, burst: 1 };
      await eventually(async () => !(await cache.takeToken(key, limit)).allowed);
      await eventually(async () => (await cache.takeToken(key, limit)).allowed);
    });

    test('simultaneous calls are allowed exactly up to the burst', async () => {
      const key = fresh('bucket');
      const all = await Promise.all(
        Array.from({ length: 50 }, () => cache.takeToken(key, { perMinute: 1, burst: 20 })),
      );
      expect(all.filter(({ allowed }) => allowed)).toHaveLength(20);
      const refused = all.filter(({ allowed }) => !allowed);
      expect(new Set(refused.map(({ retryAfterSeconds }) => retryAfterSeconds))).toEqual(new Set([60]));
      expect(new Set(refused.map(({ resetSeconds }) => resetSeconds))).toEqual(new Set([1200]));
    });

    test('admission also takes a token from the bucket', async () => {
      const key = fresh('key');
      const limit = { perMinute: 1, burst: 2 };
      const allowed = [];
      for (let i = 0; i < 4; i++) allowed.push((await cache.admit(key, limit, [key])).rate.allowed);
      expect(allowed).toEqual([true, true, false, false]);
    });

    test('simultaneous admissions get one token each, in order of arrival, and all get the entry', async () => {
      const [key, subject] = [fresh('key'), fresh('subject')];
      await cache.put(key, { subject, epoch: await cache.epoch(subject), value: 'mine' }, 30);
      const limit = { perMinute: 1, burst: 20 };
      const all = await Promise.all(Array.from({ length: 50 }, () => cache.admit(key, limit, [key])));
      expect(all.map(({ rate }) => rate.remaining)).toEqual(
        Array.from({ length: 50 }, (_, i) => Math.max(0, 19 - i)),
      );
      expect(all.map(({ rate }) => rate.allowed)).toEqual(Array.from({ length: 50 }, (_, i) => i < 20));
      expect(new Set(all.map(({ entries }) => entries[0]?.value))).toEqual(new Set(['mine']));
    });

    test('a request after a change does not get the entry that earlier requests got', async () => {
      const [key, subject] = [fresh('key'), fresh('subject')];
      await cache.put(key, { subject, epoch: await cache.epoch(subject), value: 'before' }, 30);
      const before = Array.from({ length: 20 }, () => cache.admit(key, plenty, [key]));
      await cache.bumpEpoch(subject);
      const after = Array.from({ length: 20 }, () => cache.admit(key, plenty, [key]));
      expect((await Promise.all(after)).map(({ entries }) => entries[0])).toEqual(Array(20).fill(null));
      await Promise.all(before);
    });

    test('a counter counts within its window, and can be read and reset', async () => {
      const key = fresh('counter');
      expect((await cache.count(key, 60, 0)).count).toBe(0);
      await cache.count(key, 60, 1);
      expect(await cache.count(key, 60, 1)).toMatchObject({ count: 2 });
      expect((await cache.count(key, 60, 0)).resetSeconds).toBeGreaterThan(50);
      await cache.resetCount(key);
      expect((await cache.count(key, 60, 0)).count).toBe(0);
    });

    test('a counter ends with the window that its first count began', async () => {
      const key = fresh('counter');
      await cache.count(key, 60, 2);
      const { count, resetSeconds } = await cache.count(key, 900, 1);
      expect(count).toBe(3);
      expect(resetSeconds).toBeLessThanOrEqual(60);
    });

    test('a counter starts again after its window', async () => {
      const key = fresh('counter');
      await cache.count(key, 1, 2);
      await eventually(async () => (await cache.count(key, 1, 0)).count === 0);
    });
  });
}
