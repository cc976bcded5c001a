import { useState } from 'react';

/**
 * What a form holds while it is being changed. It follows what is stored until something is typed, so an answer that
 * comes late never writes into what somebody is writing.
 */
export function useDraft<Value extends object>(stored: Value) {
  const [typed, type] = useState<Value | null>(null);
  const value = typed ?? stored;
  return {
    value,
    isDirty: typed !== null && JSON.stringify(typed) !== JSON.stringify(stored),
    change: (changes: Partial<Value>) => type((before) => ({ ...(before ?? stored), ...changes })),
    /** What was typed is stored now, or given up. */
    settle: () => type(null),
  };
}
