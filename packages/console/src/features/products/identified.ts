import type { ProductInput } from './queries.ts';

type Typed = NonNullable<ProductInput['variants']>[number];

/**
 * Variants that were typed on while they were being stored, new ones with the ids that they have been given: without,
 * they would be taken for others, and replace those that are stored. A row is the one that was sent if nothing was typed
 * in it, or if it stands at its place behind one of those.
 */
export function identified(
  typed: readonly Typed[],
  sent: readonly Typed[] = [],
  stored: readonly { id: string }[],
): Typed[] {
  const made = sent.flatMap((row, at) => (row.id === undefined ? [{ row, id: stored[at]?.id }] : []));
  let place = 0;
  return typed.map((row) => {
    if (row.id !== undefined || place === made.length) return row;
    const at = made.findIndex((other, position) => position >= place && other.row === row);
    if (at < 0 && typed.includes(made[place]!.row)) return row;
    place = Math.max(at, place) + 1;
    const { id } = made[place - 1]!;
    return id === undefined ? row : { ...row, id };
  });
}
