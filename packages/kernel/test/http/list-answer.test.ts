import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { type ListPart, listAnswer } from '../../src/index.ts';

/** Parts of a list of names, one name each, and the names that have been read. */
function createParts(names: string[]) {
  const read: string[] = [];
  const part = ([name, ...rest]: string[]): ListPart => {
    read.push(name!);
    return { items: name === 'deleted' ? '' : JSON.stringify(name), rest };
  };
  const first = { ...part(names), total: names.length, nextCursor: 'abc' };
  return { read, answer: listAnswer('names', first, async (ids) => part(ids)).body as Readable };
}

test('a list in one part is serialised once for all simultaneous readers', () => {
  const part = { items: '"a","b"', rest: [], total: 7, nextCursor: null };
  const answer = () => listAnswer('names', part, () => Promise.reject());
  const { body } = answer();
  expect(String(body)).toBe('{"names":["a","b"],"total":7,"nextCursor":null}');
  expect(answer().body).toBe(body);
});

test('a streamed list has the same form, even if items were deleted since', async () => {
  const names = async (list: string[]) => json(createParts(list).answer);
  const end = { nextCursor: 'abc' };
  expect(await names(['a', 'b', 'c'])).toEqual({ names: ['a', 'b', 'c'], total: 3, ...end });
  expect(await names(['a', 'deleted', 'c', 'deleted'])).toEqual({ names: ['a', 'c'], total: 4, ...end });
  expect(await names(['deleted', 'b'])).toEqual({ names: ['b'], total: 2, ...end });
  expect(await names(['deleted', 'deleted'])).toEqual({ names: [], total: 2, ...end });
});

test('a part is read when the previous one was sent, and none after the client has left', async () => {
  const large = 'x'.repeat(100_000);
  const { read, answer } = createParts(Array.from({ length: 10 }, () => large));
  for await (const _chunk of answer) break;
  expect(read.length).toBeLessThan(5);
});
