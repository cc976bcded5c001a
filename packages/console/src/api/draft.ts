import { useState } from 'react';

/**
 * What a form holds while it is being changed. It follows what is stored until something is typed, so an answer that
 * comes late never writes into what somebody is writing; `tag` then stays that of the state that was typed upon, or a
 * state that is read meanwhile would be overwritten unseen.
 */
export function useDraft<Value extends object>(stored: Value, tag: string | null = null) {
  const [typed, type] = useState<{ value: Value; base: Value; tag: string | null } | null>(null);
  const { value, base } = typed ?? { value: stored, base: stored };
  return {
    value,
    /** What was stored when typing began. */
    base,
    /** Of `base`; for If-Match. */
    tag: typed ? typed.tag : tag,
    isDirty: typed !== null && JSON.stringify(value) !== JSON.stringify(base),
    change: (changes: Partial<Value>) =>
      type((before) => ({
        base: before?.base ?? stored,
        tag: before ? before.tag : tag,
        value: { ...(before?.value ?? stored), ...changes },
      })),
    /** What was typed is stored now, or given up. */
    settle: () => type(null),
  };
}
