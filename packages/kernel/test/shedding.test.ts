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
