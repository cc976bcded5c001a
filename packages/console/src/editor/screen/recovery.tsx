import { useEffect, useState } from 'react';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import type { Found } from '../save/recovery.ts';
import { useWorkbench } from './workbench.ts';

/** Offers unsaved changes of closed tabs, latest first. */
export function Recovery({ lost }: { lost(): Promise<Found[]> }) {
  const { words, queue, refuse, canWrite } = useWorkbench();
  const formats = useFormats();
  const [found, setFound] = useState<readonly Found[]>([]);
  useEffect(() => {
    let isHere = true;
    // Without storage in this browser nothing was kept.
    lost()
      .then((all) => isHere && setFound(all))
      .catch(() => {});
    return () => {
      isHere = false;
    };
  }, [lost]);
  const [first, ...others] = found;
  if (!first || !canWrite) return null;
  function restore() {
    const refusal = queue.restore(first!.kept);
    if (refusal) refuse(refusal);
    else void first!.forget();
    setFound(others);
  }
  return (
    <Dialog
      title={words.recoveryTitle(first.kept.changes.length)}
      isOpen
      onClose={() => {}}
      isAlert
      size="small"
    >
      <p>{words.recoveryHint(formats.dateTime(new Date(first.kept.at).toISOString()))}</p>
      <Actions>
        <Button
          onPress={() => {
            void first.forget();
            setFound(others);
          }}
        >
          {words.forget}
        </Button>
        <Button look="primary" autoFocus onPress={restore}>
          {words.recover}
        </Button>
      </Actions>
    </Dialog>
  );
}
