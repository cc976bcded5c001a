import { ApiError } from '@waybill/contracts';
import { isUnreachable } from '../db/database.ts';

/**
 * Gives a batch to `handle`, and one that fails in halves, until the culprits stand alone: one bad item must not hold
 * up its neighbours. Where what is behind `handle` is away, no part would fare better, and none is tried. Gives the
 * items that failed; `failed` hears of each failure, `isOver` ends the splitting: the rest counts as failed.
 */
export async function inHalves<Item>(
  batch: readonly Item[],
  handle: (part: readonly Item[]) => Promise<void>,
  failed: (error: unknown, part: readonly Item[]) => void,
  isOver: () => boolean = () => false,
): Promise<Item[]> {
  const culprits: Item[] = [];
  const parts = [batch];
  for (let part = parts.pop(); part; part = parts.pop()) {
    try {
      if (isOver()) culprits.push(...part);
      else await handle(part);
    } catch (error) {
      failed(error, part);
      if (isAway(error)) return [...culprits, ...part, ...parts.reverse().flat()];
      if (part.length === 1) culprits.push(part[0]!);
      else {
        const middle = part.length >> 1;
        // The first half comes first.
        parts.push(part.slice(middle), part.slice(0, middle));
      }
    }
  }
  return culprits;
}

/** Whether what failed is the database, or another service, and not what it was given. */
function isAway(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof ApiError && error.status === 503);
}
