import { useBlocker, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useCommon } from '../texts/common.ts';
import { Button } from '../ui/button.tsx';
import { Actions, Dialog } from '../ui/overlays.tsx';

/**
 * Asks before a screen is left with something unsaved on it: also while it is being saved, for what is refused then would
 * be lost with its fields. Once all is saved there is nothing to ask.
 */
export function Unsaved({
  isDirty,
  hint,
}: {
  isDirty: boolean /** What is lost, where it is something else. */;
  hint?: string;
}) {
  const words = useCommon();
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  useEffect(() => {
    if (blocker.status === 'blocked' && !isDirty) blocker.proceed();
  }, [blocker, isDirty]);
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog title={words.unsavedTitle} isOpen onClose={blocker.reset} isAlert size="small">
      <p>{hint ?? words.unsavedHint}</p>
      <Actions>
        <Button onPress={blocker.proceed}>{words.leave}</Button>
        <Button look="primary" onPress={blocker.reset} autoFocus>
          {words.stay}
        </Button>
      </Actions>
    </Dialog>
  );
}

/** Leaves a screen for another once nothing is unsaved on it any more, which is after the next render at the soonest. */
export function useLeaving(isDirty: boolean): { leave(path: string): void; isLeaving: boolean } {
  const router = useRouter();
  const [to, setTo] = useState<string | null>(null);
  useEffect(() => {
    if (to !== null && !isDirty) router.history.push(to);
  }, [to, isDirty, router]);
  return { leave: setTo, isLeaving: to !== null };
}

/** Somebody else saved first: whose state holds is the user's to say, and ends it. */
export function Conflict({
  isOpen,
  onClose,
  onKeepMine,
  onTakeTheirs,
}: {
  isOpen: boolean;
  onClose(): void;
  onKeepMine(): void;
  onTakeTheirs(): void;
}) {
  const words = useCommon();
  const ended = (act: () => void) => () => {
    onClose();
    act();
  };
  return (
    <Dialog title={words.conflictTitle} isOpen={isOpen} onClose={() => {}} isAlert size="small">
      <p>{words.conflictHint}</p>
      <Actions>
        <Button onPress={ended(onTakeTheirs)}>{words.takeTheirs}</Button>
        <Button look="primary" onPress={ended(onKeepMine)} autoFocus>
          {words.keepMine}
        </Button>
      </Actions>
    </Dialog>
  );
}
