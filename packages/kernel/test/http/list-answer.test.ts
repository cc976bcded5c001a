import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { type ListPart, listAnswer } from '../../src/index.ts';

/** Parts of a list of names, one name each, and the names that have been read. */
function partsOf(names: string[]) {
  const read: string[] = [];
  const part = ([name, ...rest]: string[]): ListPart => {
    read.push(name!);
    return { items: name === 'deleted' ? '' : JSON.stringify(name), rest };
  };
  const first = { ...part(names), total: names.length, nextCursor: 'abc' };
  return { read, answer: listAnswer('names', first, async (ids) => part(ids)).body as Readable };
}

test('a list that is one part has its bytes made once, for all who read it together', () => {
  const part = { items: '"a","b"', rest: [], total: 7, nextCursor: null };
  const answer = () => listAnswer('names', part, () => Promise.reject());
  const { body } = answer();
  expect(String(body)).toBe('{"names":["a","b"],"total":7,"nextCursor":null}');
  expect(answer().body).toBe(body);
});

test('one in parts is the same list, also when items have gone since', async () => {
  const names = async (list: string[]) => json(partsOf(list).answer);
  const end = { nextCursor: 'abc' };
  expect(await names(['a', 'b', 'c'])).toEqual({ names: ['a', 'b', 'c'], total: 3, ...end });
  expect(await names(['a', 'deleted', 'c', 'deleted'])).toEqual({ names: ['a', 'c'], total: 4, ...end });
  expect(await names(['deleted', 'b'])).toEqual({ names: ['b'], total: 2, ...end });
  expect(await names(['deleted', 'deleted'])).toEqual({ names: [], total: 2, ...end });
});

test('a part is read when the one before is taken, and none for a client that has gone', async () => {
  const large = 'x'.repeat(100_000);
  const { read, answer } = partsOf(Array.from({ length: 10 }, () => large));
  for await (const _chunk of answer) break;
  expect(read.length).toBeLessThan(5);
});
