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
  /** Returns the cursor of a position in the list that `scope` identifies: the next page begins there. */
  at(scope: unknown, position: Position): string;
  /**
   * Returns the position that a cursor names; null without a cursor.
   * @throws invalid_cursor if it is malformed, or was made for another list or scope
   */
  read(scope: unknown, cursor: string | undefined): Position | null;
}

/**
 * Defines the cursors of a list. `positionSchema` describes the values that its order compares. The scope of
 * a page is everything that determines its list: store, filters, sort and direction. A cursor holds the position and a
 * checksum of list, scope and position. A forged cursor that passes the check only leads to another position in the same
 * list.
 */
export function defineCursors<Position extends TSchema>(
  list: string,
  positionSchema: Position,
): Cursors<Static<Position>> {
  const isPosition = ajv.compile<Static<Position>>(positionSchema);
  const check = (scope: unknown, text: string) =>
    createHash('sha256')
      .update(JSON.stringify([list, scope, text]))
      .digest()
      .subarray(0, checkBytes);
  return {
    at(scope, position) {
      const text = JSON.stringify(position);
      return Buffer.concat([check(scope, text), Buffer.from(text)]).toString('base64url');
    },
    read(scope, cursor) {
      if (cursor === undefined) return null;
      const bytes = Buffer.from(cursor.slice(0, maxLength), 'base64url');
      const text = bytes.subarray(checkBytes).toString();
      const isAuthentic =
        bytes.toString('base64url') === cursor && check(scope, text).equals(bytes.subarray(0, checkBytes));
      const position: unknown = isAuthentic ? parseJson(text) : undefined;
      if (!isPosition(position)) throw errors.invalid_cursor();
      return position;
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
