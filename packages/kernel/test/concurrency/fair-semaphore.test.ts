import { FairSemaphore } from '../../src/concurrency/fair-semaphore.ts';

describe('a fair semaphore', () => {
  test('runs up to its limit, queues up to its limit, refuses more with 503 and Retry-After, and frees the slot of a failure', async () => {
    const slots = new FairSemaphore({ concurrency: 2, maxWaiting: 3 });
    let [running, most] = [0, 0];
    const gate = Promise.withResolvers<void>();
    const work = async () => {
      most = Math.max(most, ++running);
      await gate.promise;
      running--;
      throw new Error('the work failed');
    };
    const all = Array.from({ length: 6 }, () => slots.run('here', work));
    await expect(all[5]).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    gate.resolve();
    for (const failed of await Promise.allSettled(all.slice(0, 5))) {
      expect(failed).toMatchObject({ reason: { message: 'the work failed' } });
    }
    expect(most).toBe(2);
    await expect(
      Promise.all([slots.run('here', async () => 1), slots.run('there', async () => 2)]),
    ).resolves.toEqual([1, 2]);
  });
  test('networks take turns, and the one with the most waiting is refused first', async () => {
    const slots = new FairSemaphore({ concurrency: 1, maxWaiting: 4 });
    const gate = Promise.withResolvers<void>();
    const done: string[] = [];
    const ask = (network: string) =>
      slots.run(network, async () => {
        await gate.promise;
        done.push(network);
      });
    const crowd = Array.from({ length: 5 }, () => ask('crowd'));
    await expect(ask('crowd')).rejects.toMatchObject({ status: 503 });
    const others = [ask('one'), ask('other')];
    const left = Promise.allSettled(crowd);
    // It would now have as many slots as the crowd has left.
    await expect(ask('one')).rejects.toMatchObject({ status: 503 });
    gate.resolve();
    await Promise.all(others);
    expect((await left).map(({ status }) => status)).toEqual([
      ...Array(3).fill('fulfilled'),
      ...Array(2).fill('rejected'),
    ]);
    expect(done).toEqual(['crowd', 'crowd', 'one', 'other', 'crowd']);
  });
  test('suspects get one turn in four, and are refused first when the queue is full', async () => {
    const slots = new FairSemaphore({ concurrency: 1, maxWaiting: 6 });
    const gate = Promise.withResolvers<void>();
    const done: string[] = [];
    const ask = (network: string, isSuspect: boolean) =>
      slots.run(
        network,
        async () => {
          await gate.promise;
          done.push(network);
        },
        { isSuspect },
      );
    const first = ask('first', false);
    const crowd = Promise.allSettled(Array.from({ length: 6 }, (_, i) => ask(`suspect ${i}`, true)));
    const waiters = Array.from({ length: 5 }, (_, i) => ask(`person ${i}`, false));
    // One more than the suspects that can still give way.
    waiters.push(ask('person 5', false));
    await expect(ask('person 5', false)).rejects.toMatchObject({ status: 503 });
    await expect(ask('suspect 9', true)).rejects.toMatchObject({ status: 503 });
    gate.resolve();
    await Promise.all([first, ...waiters]);
    expect((await crowd).filter(({ status }) => status === 'rejected')).toHaveLength(6);
    expect(done).toEqual(['first', ...waiters.map((_, i) => `person ${i}`)]);

    const turns: string[] = [];
    const later = new FairSemaphore({ concurrency: 1, maxWaiting: 20 });
    const held = Promise.withResolvers<void>();
    const take = (name: string, isSuspect: boolean) =>
      later.run(
        name,
        async () => {
          await held.promise;
          turns.push(name);
        },
        { isSuspect },
      );
    const all = [
      ...Array.from({ length: 3 }, (_, i) => take(`s${i}`, true)),
      ...Array.from({ length: 6 }, (_, i) => take(`p${i}`, false)),
    ];
    held.resolve();
    await Promise.all(all);
    expect(turns).toEqual(['s0', 'p0', 'p1', 'p2', 's1', 'p3', 'p4', 'p5', 's2']);
  });

  test('slots go to the keys in turn, even if one of them has much more waiting', async () => {
    const { begun, run, end } = workbench(
      new FairSemaphore({ concurrency: 1, maxWaiting: 10, maxPerKey: 10 }),
    );
    const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'];
    const all = names.map(run);
    for (let done = 0; done < 7; done++) {
      end(begun[done]!);
      await all[names.indexOf(begun[done]!)];
    }
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  test('a key above its share is refused, and every key when too much waits', async () => {
    const { begun, run, end } = workbench(new FairSemaphore({ concurrency: 2, maxWaiting: 2, maxPerKey: 3 }));
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

  test('without a queue, work beyond the slots is refused, and a failure frees its slot', async () => {
    const { run, end } = workbench(new FairSemaphore({ concurrency: 1, maxWaiting: 0, maxPerKey: 2 }));
    const running = run('a1');
    await expect(run('a2')).rejects.toMatchObject({ status: 503 });
    end('a1');
    await running;
    const slots = new FairSemaphore({ concurrency: 1, maxWaiting: 0, maxPerKey: 1 });
    await expect(slots.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await slots.run('a', async () => 'yes')).toBe('yes');
  });

  test('work that takes too long loses its slot, and still completes', async () => {
    const slots = new FairSemaphore({ concurrency: 2, maxWaiting: 256, maxHoldMs: 1 });
    const neighbour = Promise.withResolvers<string>();
    const waiting = [1, 2, 3].map(() => slots.run('one', () => neighbour.promise));
    expect(await slots.run('other', async () => 'done')).toBe('done');
    neighbour.resolve('late');
    expect(await Promise.all(waiting)).toEqual(['late', 'late', 'late']);
    const failing = () => Promise.reject(new Error('no'));
    for (let i = 0; i < 3; i++) await expect(slots.run('one', failing)).rejects.toThrow('no');
    expect(await slots.run('one', async () => 'done')).toBe('done');
  });
});

/** Work that lasts until it is ended by name; `begun` lists what has begun, in order. */
function workbench(slots: FairSemaphore) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string) =>
    slots.run(name[0]!, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  return { begun, run, end: (name: string) => ends.get(name)!() };
}
