import { useMemo, useState } from 'react';

/**
 * The values of a form. They follow the stored values until the user types, so a late answer never replaces typed text.
 * `baseEtag` is the ETag of the version that the typing began with. A newer ETag replaces it only if the form's part of
 * the resource is unchanged; otherwise the save would silently overwrite somebody else's change.
 */
export function useDraft<Value extends object, Etag = string | null>(stored: Value, etag?: Etag) {
  const [typed, setTyped] = useState<Typed<Value, Etag> | null>(null);
  const from = typed?.from ?? { base: stored, etag: etag };
  const value = useMemo(() => (typed ? { ...from.base, ...typed.changes } : from.base), [typed, from.base]);
  const keep = (
    isLeft: (key: keyof Value, typed: unknown) => boolean,
    adopt: (rest: Partial<Value>) => Partial<Value> = (rest) => rest,
  ) =>
    setTyped((now) => {
      const rest = Object.entries(now?.changes ?? {}).filter(([key, after]) =>
        isLeft(key as keyof Value, after),
      );
      if (rest.length === 0) return null;
      return { from: null, changes: adopt(Object.fromEntries(rest) as Partial<Value>) };
    });
  const isOther = (key: keyof Value, after: unknown) => !isSame(after, value[key]);
  return {
    value,
    /** The stored values when typing began. */
    base: from.base,
    baseEtag: (isSame(from.base, stored) ? etag : from.etag) as Etag,
    isDirty: typed !== null && !isSame(value, from.base),
    change: (changes: Partial<Value>) =>
      setTyped((before) => ({
        from: before?.from ?? { base: stored, etag: etag },
        changes: { ...before?.changes, ...changes },
      })),
    /**
     * Marks `value` as saved. Text typed after it was sent stays on top of the newly stored values; `adopt` merges
     * parts into it that the server added, such as ids.
     */
    markSaved: (adopt?: (rest: Partial<Value>) => Partial<Value>) => keep(isOther, adopt),
    /** Drops what was typed into these fields, because something else stored them. */
    resetFields: (...keys: (keyof Value)[]) => keep((key) => !keys.includes(key)),
    /** Drops everything typed. */
    reset: () => setTyped(null),
  };
}

interface Typed<Value, Etag> {
  /** Null: the currently stored values. */
  from: { base: Value; etag: Etag | undefined } | null;
  changes: Partial<Value>;
}

/**
 * Whether two values would be sent as the same JSON, whatever the order of their members. Unchanged values are the same
 * object, which is checked first because a product may have thousands of variants.
 */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => isSame(each, other[at]));
  const [ones, others] = [listMembers(one), listMembers(other)];
  return (
    ones.length === others.length &&
    ones.every(([key, value]) => Object.hasOwn(other, key) && isSame(value, (other as Members)[key]))
  );
}

type Members = Readonly<Record<string, unknown>>;
const listMembers = (value: object) => Object.entries(value).filter(([, each]) => each !== undefined);
