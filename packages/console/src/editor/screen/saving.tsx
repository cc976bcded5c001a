import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { session } from '../../api/session.ts';
import { useBlocker } from '../../router/blocker.ts';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Progress } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { useIsTyping } from '../../ui/typing.ts';
import type { SaveState as State } from '../core/save-queue.ts';
import { useView, useWorkbench } from '../workbench/workbench.ts';
import { saveOnLeaving } from './leaving.ts';
import style from './saving.module.css';

const Conflicts = lazy(() => import('./conflicts.tsx'));

function useSaveState(): State {
  const { queue } = useWorkbench();
  return useSyncExternalStore(queue.subscribe, () => queue.state);
}

/** Tells in words whether the document is stored, and offers actions if it is not. */
export function SaveState() {
  const { words, queue, canWrite } = useWorkbench();
  const { retry } = useCommon();
  const formats = useFormats();
  const state = useSaveState();
  if (!canWrite) return <span className={style.state}>{words.readOnly}</span>;
  // These refusals are not retried, because only another person can resolve them.
  const refusal = state.kind === 'refused' ? words.refusals[state.code] : undefined;
  const isBad = !['clean', 'dirty', 'saving'].includes(state.kind);
  const time = state.savedAt === undefined ? null : formats.dateTime(new Date(state.savedAt).toISOString());
  return (
    <span
      className={style.state}
      data-bad={isBad}
      role="status"
      title={time ? words.savedAt({ time }) : undefined}
    >
      {refusal ?? words.saving[state.kind]}
      {(state.kind === 'offline' || state.kind === 'refused') && refusal === undefined && (
        <Button size="small" onPress={() => queue.retry()}>
          {retry}
        </Button>
      )}
    </span>
  );
}

/** Handles the cases of saving that a person must know of: a conflict, and leaving before everything is stored. */
export function Saving() {
  const { queue } = useWorkbench();
  const state = useSaveState();
  const { is } = useSyncExternalStore(session.watch, session.read);
  // Asks once nobody is typing; until then the state line reports the conflict. An open question stays open.
  const isTyping = useIsTyping(state.kind === 'conflict');
  const [isConflictShown, setConflictShown] = useState(false);
  useEffect(
    () => setConflictShown(state.kind === 'conflict' && (isConflictShown || !isTyping)),
    [state.kind, isConflictShown, isTyping],
  );
  const isBusy = isTyping && !isConflictShown;
  // Retries after a new sign-in, or if none was requested yet: a refused request opens the sign-in over this screen.
  useEffect(() => {
    if (state.kind === 'signed-out' && is === 'signedIn') queue.retry();
  }, [is, state.kind, queue]);
  return (
    <>
      <Suspense>{state.kind === 'conflict' && !isBusy && <Conflicts conflicts={state.conflicts} />}</Suspense>
      <LeaveGuard />
    </>
  );
}

/** Stores unsaved changes on leaving, and shows it if that takes long; if it fails, asks first. */
function LeaveGuard() {
  const workbench = useWorkbench();
  const { words, queue, translations, view } = workbench;
  const { isLeavingSlow } = useView();
  const blocked = useBlocker({
    shouldBlock: async () => !(await saveOnLeaving(workbench)),
    blocksUnload: () => queue.state.kind !== 'clean' || translations.hasPending,
  });
  if (isLeavingSlow)
    return (
      <Dialog
        title={words.saving.saving}
        isOpen
        onClose={() => view.set({ isLeavingSlow: false })}
        size="small"
      >
        <Progress label={words.saving.dirty} value={null} />
      </Dialog>
    );
  if (!blocked) return null;
  return (
    <Dialog title={words.leaveTitle} isOpen onClose={blocked.stay} isAlert size="small">
      <p>{words.leaveHint}</p>
      <Actions>
        <Button onPress={blocked.proceed}>{words.leave}</Button>
        <Button look="primary" autoFocus onPress={blocked.stay}>
          {words.stay}
        </Button>
      </Actions>
    </Dialog>
  );
}
