import { EventEmitter } from 'node:events';
import { createAdmissionQueue } from '../../src/concurrency/admission-queue.ts';
import { createQueue } from '../../src/concurrency/queue.ts';

/** A queue with a clock of its own, for a single resource that each user holds for `turnMs`. */
function queueFor(turnMs: number) {
  let at = 0;
  const queue = createQueue(() => at);
  const waiting: (() => void)[] = [];
  const come = () => void queue.wait(() => new Promise<void>((resolve) => waiting.push(resolve)));
  /** Grants as many turns as there is time for. */
  const pass = async (ms: number, arrivalsPerTurn = 0) => {
    for (const until = at + ms; at < until; ) {
      at += turnMs;
      waiting.shift()?.();
      await new Promise(setImmediate);
      for (let i = 0; i < arrivalsPerTurn; i++) if (!queue.isTooLong()) come();
    }
  };
  return { queue, come, pass, length: () => waiting.length };
}

describe('a queue', () => {
  test('accepts a whole burst', async () => {
    const { queue, come, pass, length } = queueFor(2);
    for (let i = 0; i < 450; i++) come();
    await pass(800);
    expect(queue.isTooLong()).toBe(false);
    await pass(200);
    expect(length()).toBe(0);
    expect(queue.isTooLong()).toBe(false);
  });

  test('stays about a second long under lasting overload', async () => {
    const { pass, length } = queueFor(2);
    await pass(6_000, 2);
    expect(length()).toBeGreaterThan(400);
    expect(length()).toBeLessThan(600);
  });

  test('accepts more while few wait, however long they wait', async () => {
    const { queue, come, pass } = queueFor(2_000);
    for (let i = 0; i < 200; i++) come();
    await pass(4_000);
    expect(queue.isTooLong()).toBe(false);
  });

  test('refuses newcomers after a second without progress, and accepts them when it moves again', async () => {
    const { queue, come, pass, length } = queueFor(2_000);
    for (let i = 0; i < 300; i++) come();
    expect(queue.isTooLong()).toBe(false);
    await pass(2_000);
    expect(queue.isTooLong()).toBe(true);
    while (length() > 200) await pass(2_000);
    expect(queue.isTooLong()).toBe(false);
  });
});

describe('an admission queue', () => {
  /**
   * A line with a clock of its own, in which beginning a request takes `eachMs`. Returns the requests that it has
   * begun, by turn.
   */
  function lineFor(eachMs: number) {
    let at = 0;
    const line = createAdmissionQueue(() => at);
    let begun: number[] = [];
    const answers = new Map<number, EventEmitter & { closed: boolean }>();
    const come = (...all: number[]) => {
      for (const who of all) {
        const res = Object.assign(new EventEmitter(), { closed: false });
        answers.set(who, res);
        line.enter(res, () => {
          at += eachMs;
          begun.push(who);
        });
      }
    };
    const leave = (...all: number[]) => {
      for (const who of all) {
        answers.get(who)!.closed = true;
        answers.get(who)!.emit('close');
      }
    };
    const take = () => {
      const taken = begun;
      begun = [];
      return taken;
    };
    /** A turn of the event loop in which everything else takes `elseMs`. */
    const turn = async (elseMs = 0) => {
      at += elseMs;
      await new Promise(setImmediate);
      return take();
    };
    return { line, come, leave, take, turn };
  }
  const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

  test('begins some hundreds of requests immediately, and more while the turn has time, in order of arrival', async () => {
    const { come, take, turn } = lineFor(1);
    come(...from(0, 345));
    expect(take()).toEqual(from(0, 300));
    expect(await turn()).toEqual(from(300, 20));
    come(345);
    expect(take()).toEqual([]);
    expect(await turn(5)).toEqual(from(320, 15));
    expect(await turn()).toEqual(from(335, 11));
  });

  test('begins at least one request in a long turn, and as many as have finished', async () => {
    const { come, leave, take, turn } = lineFor(1);
    come(...from(0, 320));
    take();
    expect(await turn(50)).toEqual([300]);
    expect(await turn(50)).toEqual([301]);
    leave(7, 8, 9);
    // Two are above the limit of some hundreds.
    expect(await turn(50)).toEqual([302]);
    leave(...from(10, 10));
    expect(await turn(50)).toEqual(from(303, 10));
  });

  test('does not begin a request whose client has left', async () => {
    const { come, leave, take, turn } = lineFor(1);
    come(...from(0, 303));
    take();
    leave(301);
    expect(await turn()).toEqual([300, 302]);
  });

  test('is too long when many wait and the first has waited for a quarter of a second, and recovers', async () => {
    const { line, come, leave, turn } = lineFor(1);
    come(...from(0, 1_000));
    await turn(200);
    expect(line.isTooLong()).toBe(false);
    await turn(100);
    expect(line.isTooLong()).toBe(true);
    leave(...from(0, 250));
    await turn(50);
    expect(line.isTooLong()).toBe(false);
  });

  test('is not too long while few wait, however long they wait', async () => {
    const { line, come, turn } = lineFor(1_000);
    come(...from(0, 800));
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(line.isTooLong()).toBe(false);
  });
});
