import { createLine, createQueue } from '../src/shedding.ts';

/** A queue at a clock of its own, for something of which there is one, that everybody has for so long. */
function queueFor(turnMs: number) {
  let at = 0;
  const queue = createQueue(() => at);
  const waiting: (() => void)[] = [];
  const come = () => void queue.wait(() => new Promise<void>((resolve) => waiting.push(resolve)));
  /** Gives as many turns as there is time for. */
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
  test('takes all that a burst brings', async () => {
    const { queue, come, pass, length } = queueFor(2);
    for (let i = 0; i < 450; i++) come();
    await pass(800);
    expect(queue.isTooLong()).toBe(false);
    await pass(200);
    expect(length()).toBe(0);
    expect(queue.isTooLong()).toBe(false);
  });

  test('stays about a second long, however long more comes than goes', async () => {
    const { pass, length } = queueFor(2);
    await pass(6_000, 2);
    expect(length()).toBeGreaterThan(400);
    expect(length()).toBeLessThan(600);
  });

  test('of a few takes more, however long they wait', async () => {
    const { queue, come, pass } = queueFor(2_000);
    for (let i = 0; i < 200; i++) come();
    await pass(4_000);
    expect(queue.isTooLong()).toBe(false);
  });

  test('in which nobody gets a turn for a second takes nobody more, and again when it moves', async () => {
    const { queue, come, pass, length } = queueFor(2_000);
    for (let i = 0; i < 300; i++) come();
    expect(queue.isTooLong()).toBe(false);
    await pass(2_000);
    expect(queue.isTooLong()).toBe(true);
    while (length() > 200) await pass(2_000);
    expect(queue.isTooLong()).toBe(false);
  });
});

describe('a line', () => {
  /** A line at a clock of its own, in which to begin with somebody takes so long; whom it has begun with, by turn. */
  function lineFor(eachMs: number) {
    let at = 0;
    const line = createLine(() => at);
    let begun: number[] = [];
    const come = (who: number) =>
      line.enter(() => {
        at += eachMs;
        begun.push(who);
      });
    const take = () => {
      const taken = begun;
      begun = [];
      return taken;
    };
    const turn = async () => {
      await new Promise(setImmediate);
      return take();
    };
    return { line, come, take, turn };
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

  test('begins with a few in each turn, first come first served, and at once where nobody waits', async () => {
    const { come, take, turn } = lineFor(1);
    for (const who of upTo(13)) come(who);
    expect(take()).toEqual([0, 1, 2, 3, 4]);
    expect(await turn()).toEqual([5, 6, 7, 8, 9]);
    come(13);
    expect(take()).toEqual([]);
    expect(await turn()).toEqual([10, 11, 12, 13]);
    await turn();
    come(14);
    expect(take()).toEqual([14]);
  });

  test('is too long when many wait and the first has waited for half a second, and again no more', async () => {
    const { line, come, turn } = lineFor(1);
    for (const who of upTo(1_200)) come(who);
    expect(line.isTooLong()).toBe(false);
    for (let turns = 0; turns < 105; turns++) await turn();
    expect(line.isTooLong()).toBe(true);
    for (let turns = 0; turns < 40; turns++) await turn();
    expect(line.isTooLong()).toBe(false);
  });

  test('of a few is not too long, however long they wait', async () => {
    const { line, come, turn } = lineFor(1_000);
    for (const who of upTo(500)) come(who);
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(line.isTooLong()).toBe(false);
  });
});
