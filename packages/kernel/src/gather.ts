import { AsyncLocalStorage } from 'node:async_hooks';

/** Answers the items of a key in one go; gives what it says of each, in their order. */
export type AnswerTogether<Item, Result> = (key: string, items: readonly Item[]) => Promise<Result[]>;

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Line<Item, Result> {
  underWay: number;
  waiting: Waiting<Item, Result>[];
}

/**
 * What many ask at once of one key in few questions: who comes alone does not wait, who comes while others are being
 * answered goes with all who come meanwhile, and as soon as those are `most`. Each question begins after those came whom
 * it is for, so a change holds from the very next request. A failure is everybody's who is in it, and of nobody else.
 */
export function gatherItems<Item, Result>(
  answer: AnswerTogether<Item, Result>,
  most: number,
): (key: string, item: Item) => Promise<Result> {
  const lines = new Map<string, Line<Item, Result>>();
  const outsideOfRequests = AsyncLocalStorage.snapshot();

  async function answerNext(key: string, line: Line<Item, Result>): Promise<void> {
    line.underWay++;
    const batch = line.waiting.splice(0, most);
    const items = batch.map(({ item }) => item);
    try {
      const results = await answer(key, items);
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    line.underWay--;
    if (line.waiting.length > 0) void answerNext(key, line);
    else if (line.underWay === 0) lines.delete(key);
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const line = lines.get(key) ?? { underWay: 0, waiting: [] };
      lines.set(key, line);
      line.waiting.push({ item, resolve, reject });
      if (line.underWay === 0 || line.waiting.length === most)
        void outsideOfRequests(() => answerNext(key, line));
    });
}
