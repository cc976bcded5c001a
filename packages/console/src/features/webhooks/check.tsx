import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Facts, Progress, type Tone } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { useWebhookTexts } from './texts.ts';

const tones: Readonly<Record<'ok' | 'warning' | 'failed', Tone>> = {
  ok: 'good',
  warning: 'warn',
  failed: 'bad',
};

/** Checks step by step what would make calls fail. */
export function CheckDialog({ id, isOpen, onClose }: { id: string; isOpen: boolean; onClose(): void }) {
  const words = useWebhookTexts();
  return (
    <Dialog title={words.checkTitle} isOpen={isOpen} onClose={onClose}>
      <Checks id={id} onClose={onClose} />
    </Dialog>
  );
}

function Checks({ id, onClose }: { id: string; onClose(): void }) {
  const words = useWebhookTexts();
  const common = useCommon();
  const store = useStore();
  const [checks, setChecks] = useState<Model<'WebhookCheck'>[]>([]);
  const check = useMutation(
    async () =>
      (
        await api.post('/api/stores/{storeId}/webhooks/{id}/check', {
          params: { path: { storeId: store.id, id } },
        })
      ).checks,
    { onDone: setChecks },
  );
  return (
    <>
      <p>{words.checkHint}</p>
      {check.isPending && <Progress label={words.checking} value={null} />}
      {checks.length > 0 && !check.isPending && (
        <div role="status">
          <Facts
            facts={checks.map(({ id: step, state, message }) => [
              words.checkNames[step],
              <span key={step}>
                <Badge tone={tones[state]}>{words.checkStates[state]}</Badge> {message}
              </span>,
            ])}
          />
        </div>
      )}
      <Actions>
        <Button onPress={onClose}>{common.close}</Button>
        <Button look="primary" isPending={check.isPending} onPress={() => check.run(undefined)}>
          {words.check}
        </Button>
      </Actions>
    </>
  );
}
