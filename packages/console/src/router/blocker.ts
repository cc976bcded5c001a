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
  useEffect(() => {
    let newest = 0;
    return history.block({
      async blockerFn({ currentLocation, nextLocation }) {
        const turn = ++newest;
        setBlocked(null);
        // After a step back and one forward, the address is that of this screen again.
        if (nextLocation.state.__TSR_key === currentLocation.state.__TSR_key) return false;
        const mustAsk = await latest.current.shouldBlock();
        // A second click or another step has taken this one's place. Any answer to this one would act on that one.
        if (turn !== newest) return new Promise<never>(() => {});
        if (!mustAsk) return false;
        const isBlocked = await new Promise<boolean>((decide) =>
          setBlocked({ proceed: () => decide(false), stay: () => decide(true) }),
        );
        setBlocked(null);
        return isBlocked;
      },
      enableBeforeUnload: () => latest.current.blocksUnload(),
    });
  }, []);
  return blocked;
}
