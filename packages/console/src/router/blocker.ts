import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { history } from './history.ts';

interface Blocking {
  /** Whether the user must be asked before the address changes. */
  shouldBlock(): boolean | Promise<boolean>;
  /** Whether the browser asks before it leaves the page. */
  blocksUnload(): boolean;
}

/** A change of the address that waits for the user's decision. */
export interface Blocked {
  proceed(): void;
  stay(): void;
}

/** Holds changes of the address that leave something behind. Returns the one that waits for a decision, if any. */
export function useBlocker(blocking: Blocking): Blocked | null {
  const [blocked, setBlocked] = useState<Blocked | null>(null);
  const latest = useRef(blocking);
  useLayoutEffect(() => {
    latest.current = blocking;
  });
  useEffect(
    () =>
      history.block({
        async blockerFn() {
          if (!(await latest.current.shouldBlock())) return false;
          const isBlocked = await new Promise<boolean>((decide) =>
            setBlocked({ proceed: () => decide(false), stay: () => decide(true) }),
          );
          setBlocked(null);
          return isBlocked;
        },
        enableBeforeUnload: () => latest.current.blocksUnload(),
      }),
    [],
  );
  return blocked;
}
