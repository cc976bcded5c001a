/**
 * Returns the place that an item of a list has in a later state of the list; -1 if it is gone. An item is known by its
 * identity; one that was itself changed is new to the list, at its old place if possible.
 */
export function findItem<Item>(before: readonly Item[], at: number, latest: readonly Item[]): number {
  const item = before[at]!;
  if (latest[at] === item) return at;
  const same = latest.indexOf(item);
  if (same >= 0) return same;
  const isNew = (other: Item | undefined) => other !== undefined && !before.includes(other);
  return isNew(latest[at]) ? at : latest.findIndex(isNew);
}
