import { createQueue } from '../src/shedding.ts';

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
  test('takes what a burst brings, as far as the last has a turn within a second', async () => {
    const { queue, come, pass, length } = queueFor(10);
    // What a turn takes shows in the first ones.
    for (let i = 0; i < 80; i++) come();
    await pass(790);
    while (!queue.isTooLong() && length() < 1_000) come();
    expect(length()).toBeGreaterThan(80);
    expect(length()).toBeLessThan(130);
    await pass(1_400);
    expect(length()).toBe(0);
    expect(queue.isTooLong()).toBe(false);
  });

  test('stays where everybody has a turn within a second, however long more comes than goes', async () => {
    const { pass, length } = queueFor(5);
    await pass(8_000, 2);
    expect(length()).toBeGreaterThan(150);
    expect(length()).toBeLessThan(230);
  });

  test('in which nobody gets a turn for a second takes nobody more, and again when it moves', async () => {
    const { queue, come, pass, length } = queueFor(2_000);
    come();
    expect(queue.isTooLong()).toBe(false);
    come();
    await pass(2_000);
    expect(length()).toBe(1);
    await pass(2_000);
    expect(queue.isTooLong()).toBe(false);
  });
});
