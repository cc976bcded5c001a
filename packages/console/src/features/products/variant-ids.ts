import type { ProductInput } from './queries.ts';

type Typed = NonNullable<ProductInput['variants']>[number];

/**
 * Gives new variants, edited while they were being saved, the ids that the server assigned. Without ids, the next save
 * would add them again in place of the stored ones. An unedited row is matched by identity, an edited one by its place
 * after the previous match.
 */
export function withStoredVariantIds(
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
