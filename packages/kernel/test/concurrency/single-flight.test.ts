import { singleFlight } from '../../src/concurrency/single-flight.ts';

/** Questions that the test answers. */
function questions() {
  const open: PromiseWithResolvers<string>[] = [];
  return {
    ask() {
      const question = Promise.withResolvers<string>();
      open.push(question);
      return question.promise;
    },
    countOpen: () => open.length,
    open,
  };
}

/** Waits until the consequences of settled promises have run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('look-ups of one bearer', () => {
  test('500 simultaneous calls cause two loads, and all get a result', async () => {
    const shared = singleFlight<string>();
    const { ask, countOpen, open } = questions();
    const answers = Array.from({ length: 500 }, () => shared('key', ask));
    open[0]!.resolve('first');
    await settle();
    open[1]!.resolve('second');
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['first', 'second']));
    expect(countOpen()).toBe(2);
  });

  test('no result is older than its request', async () => {
    const shared = singleFlight<string>();
    const { ask, open } = questions();
    const before = shared('key', ask);
    // Here the role changes; callers from now on must see that.
    const after = shared('key', ask);
    open[0]!.resolve('editor');
    await settle();
    const later = shared('key', ask);
    open[1]!.resolve('viewer');
    await settle();
    open[2]!.resolve('none');
    expect(await Promise.all([before, after, later])).toEqual(['editor', 'viewer', 'none']);
  });

  test('a failure rejects all waiting callers, and the next call loads again', async () => {
    const shared = singleFlight<string>();
    const { ask, open } = questions();
    const waiting = [shared('key', ask), shared('key', ask), shared('key', ask)];
    open[0]!.reject(new Error('away'));
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(
      Array(3).fill('rejected'),
    );
    const next = shared('key', ask);
    open[1]!.resolve('back');
    expect(await next).toBe('back');
  });

  // A rejection of any other promise would have no handler and would end the process.
  test('a failure of the second load rejects only its own callers', async () => {
    const shared = singleFlight<string>();
    const { ask, open } = questions();
    const [first, second] = [shared('key', ask), shared('key', ask)];
    open[0]!.resolve('here');
    await settle();
    open[1]!.reject(new Error('away'));
    expect(await first).toBe('here');
    await expect(second).rejects.toThrow('away');
    await settle();
  });

  test('calls with another key do not wait', async () => {
    const shared = singleFlight<string>();
    const { ask, open } = questions();
    shared('key', ask);
    const other = shared('other', ask);
    open[1]!.resolve('at once');
    expect(await other).toBe('at once');
  });

  test('nothing is cached', async () => {
    const shared = singleFlight<number>();
    let answer = 0;
    const ask = async () => ++answer;
    expect([await shared('key', ask), await shared('key', ask), await shared('key', ask)]).toEqual([1, 2, 3]);
  });
});
