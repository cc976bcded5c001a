import fc from 'fast-check';
import Type from 'typebox';
import { defineCursors } from '../../src/http/cursor.ts';

const cursors = defineCursors('teas', Type.Tuple([Type.String(), Type.Integer()]));
const others = defineCursors('coffees', Type.Tuple([Type.String(), Type.Integer()]));
const scope = ['str_1', 'name', 'asc', null];
const invalid = expect.objectContaining({ code: 'invalid_cursor', status: 400 });

function catchRefusal(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

describe('a cursor', () => {
  test('leads back to its position', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
        fc.integer(),
        (text, n) => {
          const cursor = cursors.at(scope, [text, n]);
          expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
          expect(cursors.read(scope, cursor)).toEqual([text, n]);
        },
      ),
    );
    expect(cursors.read(scope, undefined)).toBeNull();
  });

  test('is refused by another list, store, sort, direction or filter', () => {
    const cursor = cursors.at(scope, ['Earl Grey', 1]);
    expect(catchRefusal(() => others.read(scope, cursor))).toEqual(invalid);
    for (const other of [
      ['str_2', 'name', 'asc', null],
      ['str_1', 'price', 'asc', null],
      ['str_1', 'name', 'desc', null],
      ['str_1', 'name', 'asc', 'active'],
    ]) {
      expect(catchRefusal(() => cursors.read(other, cursor))).toEqual(invalid);
    }
  });

  test('is refused when it was changed or is malformed', () => {
    const cursor = cursors.at(scope, ['Earl Grey', 1]);
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_+/=.'), (at, other) => {
        const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
        if (changed !== cursor) expect(catchRefusal(() => cursors.read(scope, changed))).toEqual(invalid);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(catchRefusal(() => cursors.read(scope, text))).toEqual(invalid);
      }),
    );
    for (const text of ['', cursor.slice(1), `${cursor}A`, `${cursor}=`, 'A'.repeat(100_000), '%00']) {
      expect(catchRefusal(() => cursors.read(scope, text))).toEqual(invalid);
    }
  });

  test('that is forged never leads to a position of another shape', () => {
    const loose = defineCursors('teas', Type.Unknown());
    for (const place of [null, 'Earl Grey', [1, 'x'], ['x'], { length: 2 }]) {
      expect(catchRefusal(() => cursors.read(scope, loose.at(scope, place)))).toEqual(invalid);
    }
  });
});
