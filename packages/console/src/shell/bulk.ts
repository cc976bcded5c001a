import type { QueryKey } from '@tanstack/react-query';
import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { useMutation } from '../api/mutation.ts';
import { explain, useCommon } from '../texts/common.ts';
import { toast } from '../ui/toasts.tsx';

/** The texts of a feature's bulk actions. */
interface BulkTexts {
  bulkDone(args: { count: number }): string;
  bulkFailed(args: { count: number }): string;
}

/** Runs an action for each selected item, one request at a time, so that one failure does not stop the others. */
export function useBulk<Item extends { id: string }>(
  items: readonly Item[],
  {
    invalidates,
    words,
    onDone,
  }: {
    invalidates: readonly QueryKey[];
    words: BulkTexts;
    /** Receives the ids of the items that could not be changed, which stay selected. */
    onDone(unchangedIds: readonly string[]): void;
  },
) {
  const common = useCommon();
  const [doneCount, setDoneCount] = useState<number | null>(null);
  const mutation = useMutation(
    async (changeItem: (item: Item) => Promise<unknown>) => {
      const unchangedIds = new Set(items.map(({ id }) => id));
      let lastError: unknown;
      for (const [position, item] of items.entries()) {
        setDoneCount(position);
        try {
          await changeItem(item);
          unchangedIds.delete(item.id);
        } catch (error) {
          lastError = error;
        }
        // Stops, because each further item would run through its own retries.
        if (isWaybillError(lastError, 'unreachable')) break;
      }
      setDoneCount(null);
      return { unchangedIds: [...unchangedIds], lastError };
    },
    {
      invalidates,
      onDone({ unchangedIds, lastError }) {
        if (unchangedIds.length === 0) toast(words.bulkDone({ count: items.length }));
        else
          toast(`${words.bulkFailed({ count: unchangedIds.length })}: ${explain(lastError, common)}`, 'bad');
        onDone(unchangedIds);
      },
    },
  );
  return {
    ...mutation,
    /** Number of items that are done; null while nothing runs. */
    doneCount,
  };
}
