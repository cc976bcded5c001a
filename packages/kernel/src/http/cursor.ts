import { createHash } from 'node:crypto';
import { errors } from '@waybill/contracts';
import { Ajv } from 'ajv';
import type { Static, TSchema } from 'typebox';

const ajv = new Ajv({ strict: true, strictTypes: false, strictTuples: false, validateFormats: false });
const checkBytes = 9;
/** The longest names, of three-byte characters that sorting decomposes, take a third of this. */
const maxLength = 10_000;

/** The cursors of one list, `decisions.md 11.3`. */
export interface Cursors<Position> {
  /** Returns the cursor of a place in the list that `scope` identifies: the next page begins there. */
  at(scope: unknown, position: Position): string;
  /**
   * Returns the place that a cursor names; null without a cursor.
   * @throws invalid_cursor if it is malformed, or was made for another list or scope
   */
  read(scope: unknown, cursor: string | undefined): Position | null;
}

/**
 * Defines the cursors of a list. `position` is the schema of the values by which its order compares rows. The scope of
 * a page is everything that determines its list: store, filters, sort and direction. A cursor holds the position and a
 * checksum of list, scope and position. A forged cursor that passes the check only leads to another place of the same
 * list.
 */
export function defineCursors<Position extends TSchema>(
  list: string,
  position: Position,
): Cursors<Static<Position>> {
  const isPosition = ajv.compile<Static<Position>>(position);
  const check = (scope: unknown, text: string) =>
    createHash('sha256')
      .update(JSON.stringify([list, scope, text]))
      .digest()
      .subarray(0, checkBytes);
  return {
    at(scope, place) {
      const text = JSON.stringify(place);
      return Buffer.concat([check(scope, text), Buffer.from(text)]).toString('base64url');
    },
    read(scope, cursor) {
      if (cursor === undefined) return null;
      const bytes = Buffer.from(cursor.slice(0, maxLength), 'base64url');
      const text = bytes.subarray(checkBytes).toString();
      const isOurs =
        bytes.toString('base64url') === cursor && check(scope, text).equals(bytes.subarray(0, checkBytes));
      const place: unknown = isOurs ? parsed(text) : undefined;
      if (!isPosition(place)) throw errors.invalid_cursor();
      return place;
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
