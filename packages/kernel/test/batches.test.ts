import { inBatches } from '../src/cache/batches.ts';

/** Answers when it is told to, with what it was asked and for how many. */
function slow() {
  const asked: { question: string; count: number; answer(): void; fail(): void }[] = [];
  const ask = (question: string, count: number) =>
    new Promise<string>((resolve, reject) => {
      const answer = () => resolve(`${question} ${count}`);
      asked.push({ question, count, answer, fail: () => reject(new Error('failed')) });
    });
  return { asked, inBatches: inBatches(ask) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('questions in batches', () => {
  test('who comes alone is asked for at once', async () => {
    const { asked, inBatches } = slow();
    const one = inBatches('a', 'A');
    expect(asked).toHaveLength(1);
    asked[0]!.answer();
    expect(await one).toEqual({ place: 0, reply: 'A 1' });
    const later = inBatches('a', 'A');
    asked[1]!.answer();
    expect(await later).toEqual({ place: 0, reply: 'A 1' });
  });

  test('those who come meanwhile are asked for together, each in a place of its own', async () => {
    const { asked, inBatches } = slow();
    const first = inBatches('a', 'A');
    const rest = [inBatches('a', 'A'), inBatches('a', 'A'), inBatches('a', 'A')];
    expect(asked).toHaveLength(1);
    asked[0]!.answer();
    await first;
    await turn();
    expect(asked).toHaveLength(2);
    const last = inBatches('a', 'A');
    asked[1]!.answer();
    expect(await Promise.all(rest)).toEqual([0, 1, 2].map((place) => ({ place, reply: 'A 3' })));
    await turn();
    asked[2]!.answer();
    expect(await last).toEqual({ place: 0, reply: 'A 1' });
  });

  test('other keys do not wait', () => {
    const { asked, inBatches } = slow();
    void inBatches('a', 'A');
    void inBatches('b', 'B');
    expect(asked.map(({ question }) => question)).toEqual(['A', 'B']);
  });

  test('a failure is theirs who were asked for, not of those who come after', async () => {
    const { asked, inBatches } = slow();
    const first = inBatches('a', 'A');
    const second = inBatches('a', 'A');
    asked[0]!.fail();
    await expect(first).rejects.toThrow('failed');
    await turn();
    asked[1]!.answer();
    expect(await second).toEqual({ place: 0, reply: 'A 1' });
  });
});
