import { createSlots } from '../src/slots.ts';

describe('slots', () => {
  test('so many work, so many wait, one more is 503 with Retry-After; a failure gives its slot back', async () => {
    const slots = createSlots({ atOnce: 2, waiting: 3 });
    let [running, most] = [0, 0];
    const gate = Promise.withResolvers<void>();
    const work = async () => {
      most = Math.max(most, ++running);
      await gate.promise;
      running--;
      throw new Error('the work failed');
    };
    const all = Array.from({ length: 6 }, () => slots('here', work));
    await expect(all[5]).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    gate.resolve();
    for (const failed of await Promise.allSettled(all.slice(0, 5))) {
      expect(failed).toMatchObject({ reason: { message: 'the work failed' } });
    }
    expect(most).toBe(2);
    await expect(Promise.all([slots('here', async () => 1), slots('there', async () => 2)])).resolves.toEqual(
      [1, 2],
    );
  });
  test('networks take turns, and the one with most waiting gives way to another', async () => {
    const slots = createSlots({ atOnce: 1, waiting: 4 });
    const gate = Promise.withResolvers<void>();
    const done: string[] = [];
    const ask = (network: string) =>
      slots(network, async () => {
        await gate.promise;
        done.push(network);
      });
    const crowd = Array.from({ length: 5 }, () => ask('crowd'));
    await expect(ask('crowd')).rejects.toMatchObject({ status: 503 });
    const others = [ask('one'), ask('other')];
    const left = Promise.allSettled(crowd);
    // It would have as many now as the crowd has left.
    await expect(ask('one')).rejects.toMatchObject({ status: 503 });
    gate.resolve();
    await Promise.all(others);
    expect((await left).map(({ status }) => status)).toEqual([
      ...Array(3).fill('fulfilled'),
      ...Array(2).fill('rejected'),
    ]);
    expect(done).toEqual(['crowd', 'crowd', 'one', 'other', 'crowd']);
  });
  test('suspects get one turn of four, and give way to the others where there is no room', async () => {
    const slots = createSlots({ atOnce: 1, waiting: 6 });
    const gate = Promise.withResolvers<void>();
    const done: string[] = [];
    const ask = (network: string, isSuspect: boolean) =>
      slots(
        network,
        async () => {
          await gate.promise;
          done.push(network);
        },
        isSuspect,
      );
    const first = ask('first', false);
    const crowd = Promise.allSettled(Array.from({ length: 6 }, (_, i) => ask(`suspect ${i}`, true)));
    const people = Array.from({ length: 5 }, (_, i) => ask(`person ${i}`, false));
    // One more than there are suspects left to give way to.
    people.push(ask('person 5', false));
    await expect(ask('person 5', false)).rejects.toMatchObject({ status: 503 });
    await expect(ask('suspect 9', true)).rejects.toMatchObject({ status: 503 });
    gate.resolve();
    await Promise.all([first, ...people]);
    expect((await crowd).filter(({ status }) => status === 'rejected')).toHaveLength(6);
    expect(done).toEqual(['first', ...people.map((_, i) => `person ${i}`)]);

    const turns: string[] = [];
    const later = createSlots({ atOnce: 1, waiting: 20 });
    const held = Promise.withResolvers<void>();
    const take = (name: string, isSuspect: boolean) =>
      later(
        name,
        async () => {
          await held.promise;
          turns.push(name);
        },
        isSuspect,
      );
    const all = [
      ...Array.from({ length: 3 }, (_, i) => take(`s${i}`, true)),
      ...Array.from({ length: 6 }, (_, i) => take(`p${i}`, false)),
    ];
    held.resolve();
    await Promise.all(all);
    expect(turns).toEqual(['s0', 'p0', 'p1', 'p2', 's1', 'p3', 'p4', 'p5', 's2']);
  });
});
