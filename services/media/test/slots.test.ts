import { createSlots } from '../src/slots.ts';

/** Work that lasts until it is told to end; `begun` lists what has begun, in order. */
function workbench(slots: ReturnType<typeof createSlots>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string) =>
    slots.run(name[0]!, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  return { begun, run, end: (name: string) => ends.get(name)!() };
}

describe('slots', () => {
  test('go to the stores that wait in turn, however much one of them has waiting', async () => {
    const { begun, run, end } = workbench(createSlots({ atOnce: 1, maxWaiting: 10, maxEach: 10 }));
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(run);
    for (let done = 0; done < 7; done++) {
      end(begun[done]!);
      await all[['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].indexOf(begun[done]!)];
    }
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  test('are refused to a store that has its share, and to all when too much waits', async () => {
    const { begun, run, end } = workbench(createSlots({ atOnce: 2, maxWaiting: 2, maxEach: 3 }));
    const unavailable = expect.objectContaining({ code: 'resource_unavailable', status: 503 });
    const first = [run('a1'), run('a2'), run('a3')];
    await expect(run('a4')).rejects.toEqual(unavailable);
    const other = run('b1');
    await expect(run('c1')).rejects.toEqual(unavailable);
    end('a1');
    await first[0];
    const again = run('c2');
    for (const [name, work] of [
      ['a2', first[1]],
      ['a3', first[2]],
      ['b1', other],
      ['c2', again],
    ] as const) {
      end(name);
      await work;
    }
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c2']);
  });

  test('are free again after work that failed', async () => {
    const slots = createSlots({ atOnce: 1, maxWaiting: 0, maxEach: 1 });
    const failing = slots.run('a', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await slots.run('a', async () => 'yes')).toBe('yes');
  });
});
