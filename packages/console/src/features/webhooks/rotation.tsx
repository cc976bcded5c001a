import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { type Webhook, webhooksKey } from './queries.ts';
import { useWebhookTexts } from './texts.ts';

/** Makes a new signing secret. The old one stays valid for a chosen number of hours. */
export function RotateDialog({
  webhook: { id, previousSecretExpiresAt },
  isOpen,
  onClose,
}: {
  webhook: Webhook;
  isOpen: boolean;
  onClose(): void;
}) {
  const words = useWebhookTexts();
  const common = useCommon();
  const store = useStore();
  // A rotation during an overlap can only end both old secrets at once.
  const isOverlapping = previousSecretExpiresAt !== null;
  const [typed, setTyped] = useState(24);
  const overlapHours = isOverlapping ? 0 : typed;
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useMutation(
    () =>
      api.post('/api/stores/{storeId}/webhooks/{id}/rotate-secret', {
        params: { path: { storeId: store.id, id } },
        body: { overlapHours },
      }),
    {
      done: words.rotated,
      invalidates: [webhooksKey(store.id)],
      onDone(answer) {
        setSecret(answer.secret);
        onClose();
      },
    },
  );
  return (
    <>
      <Dialog title={words.rotateTitle} isOpen={isOpen} onClose={onClose} size="small">
        <Form mutation={rotate} onSubmit={() => void rotate.run(undefined)}>
          <p>{words.rotateHint}</p>
          <NumberField
            label={words.overlap}
            hint={words.overlapHint}
            name="/overlapHours"
            minValue={0}
            maxValue={168}
            step={1}
            value={overlapHours}
            onChange={(hours) => setTyped(hours ?? 0)}
            isDisabled={isOverlapping}
            isRequired
          />
          <Actions>
            <Button onPress={onClose}>{common.cancel}</Button>
            <Button look="primary" type="submit" isPending={rotate.isPending}>
              {words.rotateNow}
            </Button>
          </Actions>
        </Form>
      </Dialog>
      <SecretDialog
        title={words.secretTitle}
        warning={words.secretWarning}
        done={words.secretDone}
        secret={secret}
        onClose={() => setSecret(null)}
      />
    </>
  );
}
