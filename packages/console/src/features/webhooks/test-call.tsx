import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useEventTypeTexts } from '../../texts/event-types.ts';
import { Button } from '../../ui/button.tsx';
import { Progress } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { Attempts } from './attempts.tsx';
import { deliveriesKey, deliveryQuery, type EventType, type Webhook } from './queries.ts';
import { useWebhookTexts } from './texts.ts';

/** Delay before the result is read; most calls have been answered by then. */
const firstLookMs = 1_000;

/** Sends a test call with a sample event and shows the result. */
export function TestDialog({
  webhook,
  isOpen,
  onClose,
}: {
  webhook: Webhook;
  isOpen: boolean;
  onClose(): void;
}) {
  const words = useWebhookTexts();
  return (
    <Dialog title={words.testTitle} isOpen={isOpen} onClose={onClose}>
      <TestCall webhook={webhook} onClose={onClose} />
    </Dialog>
  );
}

function TestCall({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const words = useWebhookTexts();
  const common = useCommon();
  const store = useStore();
  const { types } = useEventTypeTexts();
  const [type, setType] = useState<EventType>(webhook.events[0]!);
  const [sent, setSent] = useState<string | null>(null);
  const send = useMutation(
    async () => {
      setSent(null);
      const { delivery } = await api.post('/api/stores/{storeId}/webhooks/{id}/test', {
        params: { path: { storeId: store.id, id: webhook.id } },
        body: { type },
      });
      await new Promise((resolve) => setTimeout(resolve, firstLookMs));
      return delivery;
    },
    { invalidates: [deliveriesKey(store.id, webhook.id)], onDone: ({ id }) => setSent(id) },
  );
  return (
    <>
      <p>{words.testHint}</p>
      <Select<EventType>
        label={words.eventType}
        choices={(Object.keys(types) as EventType[]).map((id) => ({ id, text: types[id], detail: id }))}
        value={type}
        onChange={setType}
      />
      {send.isPending && <Progress label={words.sending} value={null} />}
      {sent && <Answer webhookId={webhook.id} deliveryId={sent} />}
      <Actions>
        <Button onPress={onClose}>{common.close}</Button>
        <Button look="primary" isPending={send.isPending} onPress={() => send.run(undefined)}>
          {sent ? words.again : words.send}
        </Button>
      </Actions>
    </>
  );
}

function Answer({ webhookId, deliveryId }: { webhookId: string; deliveryId: string }) {
  const words = useWebhookTexts();
  const store = useStore();
  const { data, error, refetch } = useQuery(deliveryQuery(store.id, webhookId, deliveryId));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data || data.attempts.length === 0) return <Progress label={words.sending} value={null} />;
  return (
    <div role="status">
      <Attempts attempts={data.attempts} />
    </div>
  );
}
