import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import type { Use } from './queries.ts';
import { useMediaTexts } from './texts.ts';
import { Uses } from './uses.tsx';

/** Permanently deletes trashed files. If visitors still see one, it lists where and asks again. */
export function PurgeDialog({
  ids,
  isOpen,
  onClose,
  onDone,
}: {
  ids: readonly string[];
  isOpen: boolean;
  onClose(): void;
  /** Called after the queries that show the files were read again. */
  onDone(): void;
}) {
  const words = useMediaTexts();
  const store = useStore();
  const [uses, setUses] = useState<readonly Use[] | null>(null);
  const isInUse = (error: unknown) => isWaybillError(error, 'media_in_use');
  const purge = useMutation(
    (force: boolean) =>
      api.post('/api/stores/{storeId}/media/purge', {
        params: { path: { storeId: store.id } },
        body: { ids: [...ids], ...(force && { force }) },
      }),
    { done: words.purged, handles: isInUse, onDone },
  );
  const close = () => {
    setUses(null);
    onClose();
  };
  async function confirm() {
    try {
      await purge.attempt(uses !== null);
    } catch (error) {
      if (isInUse(error)) setUses((error as { body: { usage?: Use[] } }).body.usage ?? []);
      throw error;
    }
  }
  return (
    <ConfirmDialog
      title={uses ? words.inUseTitle : words.purgeTitle({ count: ids.length })}
      confirm={uses ? words.purgeAnyway : words.purge}
      isOpen={isOpen}
      onClose={close}
      onConfirm={confirm}
    >
      {uses ? (
        <>
          <p>{words.inUseHint}</p>
          <Uses uses={uses} />
        </>
      ) : (
        <p>{words.purgeHint}</p>
      )}
    </ConfirmDialog>
  );
}
