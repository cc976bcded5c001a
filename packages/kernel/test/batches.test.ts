import { inBatches } from '../src/cache/batches.ts';

/** Answers when it is told to, with for how many it was asked. */
function slow() {
  const asked: { answer(): void; fail(): void }[] = [];
  const join = inBatches<string>();
  const ask = (count: number) =>
    new Promise<string>((resolve, reject) => {
      asked.push({ answer: () => resolve(`for ${count}`), fail: () => reject(new Error('failed')) });
    });
  return { asked, come: (key: string) => join(key, ask) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('look-ups in batches', () => {
  test('who comes alone is asked for at once', async () => {
    const { asked, come } = slow();
    for (const i of [0, 1]) {
      const one = come('a');
      expect(asked).toHaveLength(i + 1);
      asked[i]!.answer();
      expect(await one).toEqual({ place: 0, reply: 'for 1' });
    }
  });

  test('those who come meanwhile are asked for together, each in a place of its own', async () => {
    const { asked, come } = slow();
    const first = come('a');
    const rest = [come('a'), come('a'), come('a')];
    expect(asked).toHaveLength(1);
    asked[0]!.answer();
    await first;
    await turn();
    expect(asked).toHaveLength(2);
    const last = come('a');
    asked[1]!.answer();
    expect(await Promise.all(rest)).toEqual([0, 1, 2].map((place) => ({ place, reply: 'for 3' })));
    await turn();
    asked[2]!.answer();
    expect(await last).toEqual({ place: 0, reply: 'for 1' });
  });

  test('other keys do not wait', () => {
    const { asked, come } = slow();
    void come('a');
    void come('b');
    expect(asked).toHaveLength(2);
  });

  test('who comes after a failure begins anew', async () => {
    const { asked, come } = slow();
    const failed = Promise.allSettled([come('a'), come('a')]);
    asked[0]!.fail();
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const later = come('a');
    asked[1]!.answer();
    expect(await later).toEqual({ place: 0, reply: 'for 1' });
  });
});
