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
  const keep = (
    isLeft: (key: keyof Value, typed: unknown) => boolean,
    adopt: (rest: Partial<Value>) => Partial<Value> = (rest) => rest,
  ) =>
    type((now) => {
      const rest = Object.entries(now?.changes ?? {}).filter(([key, after]) =>
        isLeft(key as keyof Value, after),
      );
      if (rest.length === 0) return null;
      return { from: null, changes: adopt(Object.fromEntries(rest) as Partial<Value>) };
    });
  const isOther = (key: keyof Value, after: unknown) => !isSame(after, value[key]);
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
    settle: () => keep(isOther),
    /** As `settle`; what stays takes over from what is stored what `adopt` gives it, such as ids. */
    settleAdopting: (adopt: (rest: Partial<Value>) => Partial<Value>) => keep(isOther, adopt),
    /** This is stored now, and not by this form: what was typed of it is given up, the rest stands on what is stored next. */
    giveUp: (...keys: (keyof Value)[]) => keep((key) => !keys.includes(key)),
    /** What was typed is given up. */
    drop: () => type(null),
  };
}

interface Typed<Value, Basis> {
  /** Null: what is stored, whatever that is. */
  from: { base: Value; basis: Basis | undefined } | null;
  changes: Partial<Value>;
}

/**
 * Whether two values would be sent as the same JSON, whatever the order of their members. What nobody changed is the same
 * object, which is seen at once: a product may have thousands of variants.
 */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => isSame(each, other[at]));
  const [ones, others] = [membersOf(one), membersOf(other)];
  return (
    ones.length === others.length &&
    ones.every(([key, value]) => Object.hasOwn(other, key) && isSame(value, (other as Members)[key]))
  );
}

type Members = Readonly<Record<string, unknown>>;
const membersOf = (value: object) => Object.entries(value).filter(([, each]) => each !== undefined);
