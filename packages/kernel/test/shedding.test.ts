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
  test('takes all that a burst brings', async () => {
    const { queue, come, pass, length } = queueFor(10);
    for (let i = 0; i < 90; i++) come();
    await pass(800);
    expect(queue.isTooLong()).toBe(false);
    await pass(200);
    expect(length()).toBe(0);
    expect(queue.isTooLong()).toBe(false);
  });

  test('stays about a second long, however long more comes than goes', async () => {
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
