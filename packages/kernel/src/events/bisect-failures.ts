import { ApiError } from '@waybill/contracts';
import { isUnreachable } from '../db/database.ts';

/**
 * Gives a batch to `handle`, and halves a batch that fails until the failed items stand alone: one bad item must not
 * hold up its neighbours. If the system behind `handle` is unreachable, no part would fare better, so it tries none.
 * Returns the failed items. Calls `onFailure` for each failure; once `isStopped` returns true, the rest counts as failed.
 */
export async function bisectFailures<Item>(
  batch: readonly Item[],
  handle: (part: readonly Item[]) => Promise<void>,
  onFailure: (error: unknown, part: readonly Item[]) => void,
  isStopped: () => boolean = () => false,
): Promise<Item[]> {
  const failedItems: Item[] = [];
  const parts = [batch];
  for (let part = parts.pop(); part; part = parts.pop()) {
    try {
      if (isStopped()) failedItems.push(...part);
      else await handle(part);
    } catch (error) {
      onFailure(error, part);
      if (isUnavailable(error)) return [...failedItems, ...part, ...parts.reverse().flat()];
      if (part.length === 1) failedItems.push(part[0]!);
      else {
        const middle = part.length >> 1;
        // The first half is taken first.
        parts.push(part.slice(middle), part.slice(0, middle));
      }
    }
  }
  return failedItems;
}

/** Whether the database or another service failed, as opposed to the items. */
function isUnavailable(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof ApiError && error.status === 503);
}
