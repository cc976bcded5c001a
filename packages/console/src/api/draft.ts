import { useState } from 'react';

/**
 * What a form holds while it is being changed. It follows what is stored until something is typed, so an answer that
 * comes late never writes into what somebody is writing. `basis` is what the typing stands on, such as the ETag of what
 * was read: one that is read again meanwhile takes its place only where the form's part of it is the same, or a change of
 * somebody else would be overwritten unseen.
 */
export function useDraft<Value extends object, Basis = string | null>(stored: Value, basis?: Basis) {
  const [typed, type] = useState<{ value: Value; base: Value; basis: Basis | undefined } | null>(null);
  const { value, base } = typed ?? { value: stored, base: stored };
  return {
    value,
    /** What was stored when typing began. */
    base,
    basis: (typed && !isSame(base, stored) ? typed.basis : basis) as Basis,
    isDirty: typed !== null && !isSame(value, base),
    change: (changes: Partial<Value>) =>
      type((before) => ({
        base: before?.base ?? stored,
        basis: before ? before.basis : basis,
        value: { ...(before?.value ?? stored), ...changes },
      })),
    /** What was typed is stored now, or given up. */
    settle: () => type(null),
  };
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
