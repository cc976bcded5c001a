import { useMemo, useState } from 'react';

/**
 * What a form holds while it is being changed. It follows what is stored until something is typed, so an answer that
 * comes late never writes into what somebody is writing. `basis` is what the typing stands on, such as the ETag of what
 * was read: one that is read again meanwhile takes its place only where the form's part of it is the same, or a change of
 * somebody else would be overwritten unseen.
 */
export function useDraft<Value extends object, Basis = string | null>(stored: Value, basis?: Basis) {
  const [typed, type] = useState<Typed<Value, Basis> | null>(null);
  const from = typed?.from ?? { base: stored, basis };
  const value = useMemo(() => (typed ? { ...from.base, ...typed.changes } : from.base), [typed, from.base]);
  const settle = (adopt: (rest: Partial<Value>) => Partial<Value>) =>
    type((now) => {
      const rest = Object.entries(now?.changes ?? {}).filter(
        ([key, after]) => !isSame(after, value[key as keyof Value]),
      );
      if (rest.length === 0) return null;
      return { from: null, changes: adopt(Object.fromEntries(rest) as Partial<Value>) };
    });
  return {
    value,
    /** What was stored when typing began. */
    base: from.base,
    basis: (isSame(from.base, stored) ? basis : from.basis) as Basis,
    isDirty: typed !== null && !isSame(value, from.base),
    change: (changes: Partial<Value>) =>
      type((before) => ({
        from: before?.from ?? { base: stored, basis },
        changes: { ...before?.changes, ...changes },
      })),
    /** `value` is stored now. What was typed since it was sent is not, and stays: it stands on what is stored next. */
    settle: () => settle((rest) => rest),
    /** As `settle`; what stays takes over from what is stored what `adopt` gives it, such as ids. */
    settleAdopting: settle,
    /** What was typed is given up. */
    drop: () => type(null),
  };
}

interface Typed<Value, Basis> {
  /** Null: what is stored, whatever that is. */
  from: { base: Value; basis: Basis | undefined } | null;
  changes: Partial<Value>;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
