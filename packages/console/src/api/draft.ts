import { useState } from 'react';

/**
 * What a form holds while it is being changed. It follows what is stored until something is typed, so an answer that
 * comes late never writes into what somebody is writing. `basis` is what the typing stands on, such as the ETag of what
 * was read: one that is read again meanwhile does not take its place, or a change of somebody else would go unseen.
 */
export function useDraft<Value extends object, Basis = undefined>(stored: Value, basis?: Basis) {
  const [typed, type] = useState<{ value: Value; basis: Basis | undefined } | null>(null);
  const value = typed?.value ?? stored;
  return {
    value,
    basis: (typed ? typed.basis : basis) as Basis,
    isDirty: typed !== null && JSON.stringify(typed.value) !== JSON.stringify(stored),
    change: (changes: Partial<Value>) =>
      type((before) => ({
        value: { ...(before?.value ?? stored), ...changes },
        basis: before ? before.basis : basis,
      })),
    /** What was typed is stored now, or given up. */
    settle: () => type(null),
  };
}
