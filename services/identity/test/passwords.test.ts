import { createSlots, hashOfNobody, hashPassword, verifyPassword } from '../src/users/passwords.ts';
import { password } from './people.ts';

describe('a hash', () => {
  test('verifies its password and no other, whatever parameters it was made with', async () => {
    const phc = await hashPassword(password);
    expect(await verifyPassword(password, phc)).toBe(true);
    expect(await verifyPassword(`${password} `, phc)).toBe(false);
    expect(await hashPassword(password)).not.toBe(phc);
    // A vector of the reference implementation's own tests (P-H-C/phc-winner-argon2, src/test.c).
    const reference = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    expect(await verifyPassword('password', reference)).toBe(true);
  });
  test('that of nobody is the hash of nothing', async () => {
    expect(await verifyPassword('', hashOfNobody)).toBe(false);
  });
});

describe('the slots of the hashing', () => {
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
});
