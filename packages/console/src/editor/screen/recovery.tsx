import { useEffect, useState } from 'react';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import type { FoundDocument } from '../save/recovery.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';

/** Offers unsaved changes of closed tabs, latest first. */
export function Recovery({ findLost }: { findLost(): Promise<FoundDocument[]> }) {
  const { words, queue, refuse, canWrite } = usePanelWorkbench();
  const formats = useFormats();
  const [found, setFound] = useState<readonly FoundDocument[]>([]);
  useEffect(() => {
    let isMounted = true;
    // Without storage in this browser nothing was kept.
    findLost()
      .then((all) => isMounted && setFound(all))
      .catch(() => {});
    return () => {
      isMounted = false;
    };
  }, [findLost]);
  const [first, ...others] = found;
  if (!first || !canWrite) return null;
  function restore() {
    const refusal = queue.restore(first!.unsaved);
    if (refusal) refuse(refusal);
    else void first!.remove();
    setFound(others);
  }
  return (
    <Dialog
      title={words.recoveryTitle({ count: first.unsaved.changes.length })}
      isOpen
      onClose={() => {}}
      isAlert
      size="small"
    >
      <p>{words.recoveryHint({ at: formats.dateTime(new Date(first.unsaved.at).toISOString()) })}</p>
      <Actions>
        <Button
          onPress={() => {
            void first.remove();
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
