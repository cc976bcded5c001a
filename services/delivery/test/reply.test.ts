import { gzipSync } from 'node:zlib';
import { toStoredBody, toStoredHeaders } from '../src/sending/reply.ts';

describe('the stored part of a reply', () => {
  test.each([
    ['nothing', Buffer.alloc(0), ''],
    ['text', Buffer.from('{"ok":true}\r\n'), '{"ok":true}\r\n'],
    ['text of many scripts', Buffer.from('Füße 茶 🍵'), 'Füße 茶 🍵'],
    ['a character that is cut off', Buffer.from('tea 🍵').subarray(0, 6), 'tea '],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]), null],
    ['NUL in text', Buffer.from('a\0b'), null],
    ['escape sequences for terminals', Buffer.from('\x1b[2Jgone'), null],
    ['compressed text', gzipSync('hello'), null],
    ['half a surrogate pair', Buffer.from([0xed, 0xa0, 0x80, 0x41]), null],
  ])('of %s', (_, bytes, stored) => {
    expect(toStoredBody(bytes)).toBe(stored);
  });

  test('is its headers without cookies, limited in number and length', () => {
    const headers = {
      'content-type': 'text/plain',
      'set-cookie': ['sid=secret', 'b=2'],
      via: ['a', 'b'],
      'x-long': 'y'.repeat(10_000),
      'x-nul': 'a\0\ud800',
      [`x-${'n'.repeat(300)}`]: 'name',
      missing: undefined,
    };
    const stored = toStoredHeaders(headers);
    expect(stored).toEqual({
      'content-type': 'text/plain',
      via: 'a, b',
      'x-long': 'y'.repeat(250),
      'x-nul': 'a\ufffd\ufffd',
    });
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x-${n}`, 'v']));
    expect(Object.keys(toStoredHeaders(many)).length).toBe(32);
  });
});
