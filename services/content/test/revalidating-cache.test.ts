import { setTimeout as sleep } from 'node:timers/promises';
import { RevalidatingCache, type Revalidation } from '../src/shared/revalidating-cache.ts';

interface Page {
  revision: number;
  text: string;
}

/** A cache over a source whose revision and availability a test sets. */
function setUp() {
  const cache = new RevalidatingCache<Page>({ maxBytes: 1_000, measureBytes: () => 10 });
  const source = { revision: 1, isAway: false, loads: 0, errors: 0 };
  const get = (how: Partial<Revalidation<Page>> = {}) => {
    const { revision } = source;
    return cache.get('page', {
      revisions: String(revision),
      isCurrent: (page) => page.revision === revision,
      async load() {
        source.loads++;
        const text = `made ${source.loads}`;
        await sleep(5);
        if (source.isAway) throw new Error('away');
        return { revision, text };
      },
      ...how,
    });
  };
  const withFallback = {
    fallback: (page: Page | undefined) => page,
    onError: () => void source.errors++,
  };
  return { source, get, withFallback };
}

describe('a cached value', () => {
  test('is made once for all who ask at the same time, and again only after a change', async () => {
    const { source, get } = setUp();
    const pages = await Promise.all([get(), get(), get()]);
    expect(pages.map((page) => page!.text)).toEqual(['made 1', 'made 1', 'made 1']);
    expect((await get())!.text).toBe('made 1');
    source.revision = 2;
    expect((await get())!.text).toBe('made 2');
    expect(source.loads).toBe(2);
  });

  test('that is being made is not given to callers who have seen a newer revision', async () => {
    const { source, get } = setUp();
    const before = get();
    source.revision = 2;
    const after = get();
    expect((await before)!.revision).toBe(1);
    expect((await after)!.revision).toBe(2);
  });

  test('that does not exist is not remembered', async () => {
    const { get } = setUp();
    expect(await get({ load: async () => undefined })).toBeUndefined();
    expect((await get())!.text).toBe('made 1');
  });

  test('of a refused caller is made for the next one', async () => {
    const { get } = setUp();
    const refused = get({ admit: () => Promise.reject(new Error('too many')) });
    await expect(refused).rejects.toThrow('too many');
    expect((await get())!.text).toBe('made 1');
    // Whoever gets a current value needs no admission.
    expect((await get({ admit: () => Promise.reject(new Error('too many')) }))!.text).toBe('made 1');
  });
});

describe('while a value cannot be made anew', () => {
  test('its fallback serves at once, with one attempt a second in the background', async () => {
    const { source, get, withFallback } = setUp();
    await get();
    Object.assign(source, { revision: 2, isAway: true });
    expect((await get(withFallback))!.text).toBe('made 1');
    expect(source).toMatchObject({ loads: 2, errors: 1 });
    await Promise.all(Array.from({ length: 20 }, () => get(withFallback)));
    expect(source.loads).toBe(2);
    source.isAway = false;
    const deadline = Date.now() + 10_000;
    while ((await get(withFallback))!.revision === 1 && Date.now() < deadline) await sleep(20);
    expect(await get(withFallback)).toEqual({ revision: 2, text: 'made 3' });
    expect(source).toMatchObject({ loads: 3, errors: 1 });
  });

  test('its error reaches callers without a fallback', async () => {
    const { source, get, withFallback } = setUp();
    source.isAway = true;
    await expect(get()).rejects.toThrow('away');
    await expect(get(withFallback)).rejects.toThrow('away');
    expect(source.errors).toBe(0);
  });
});
