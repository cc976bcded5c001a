import { useEffect, useState } from 'react';
import { useBlocker } from '../router/blocker.ts';
import { navigate } from '../router/history.ts';
import { useCommon } from '../texts/common.ts';
import { Button } from '../ui/button.tsx';
import { Actions, Dialog } from '../ui/overlays.tsx';

/**
 * Asks before the user leaves a screen with unsaved changes. It also asks during a save, since a refused save would
 * lose its fields. Once everything is saved, navigation continues.
 */
export function Unsaved({
  isDirty,
  hint,
}: {
  isDirty: boolean;
  /** Replaces the usual hint, where something other than typed values would be lost. */
  hint?: string;
}) {
  const words = useCommon();
  const blocked = useBlocker({ shouldBlock: () => isDirty, blocksUnload: () => isDirty });
  useEffect(() => {
    if (!isDirty) blocked?.proceed();
  }, [blocked, isDirty]);
  if (!blocked) return null;
  return (
    <Dialog title={words.unsavedTitle} isOpen onClose={blocked.stay} isAlert size="small">
      <p>{hint ?? words.unsavedHint}</p>
      <Actions>
        <Button onPress={blocked.proceed}>{words.leave}</Button>
        <Button look="primary" onPress={blocked.stay} autoFocus>
          {words.stay}
        </Button>
      </Actions>
    </Dialog>
  );
}

/** Leaves a screen as soon as nothing is unsaved, which takes at least one more render. */
export function useLeaving(isDirty: boolean): { leave(path: string): void; isLeaving: boolean } {
  const [to, setTo] = useState<string | null>(null);
  useEffect(() => {
    if (to !== null && !isDirty) navigate(to);
  }, [to, isDirty]);
  return { leave: setTo, isLeaving: to !== null };
}

/** Shown when somebody else saved first. The user must choose whose version to keep. */
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
