import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { newId, paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useParams } from '../../router/router.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useEventTypeTexts } from '../../texts/event-types.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { Badge, Card, Facts, Notice, Screen, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { CheckDialog } from './check.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookEditor } from './editor.tsx';
import { StatusBadge } from './list.tsx';
import { getAddress, toInput, type Webhook, webhookQuery, webhooksKey } from './queries.ts';
import { ReplayDialog, Replays } from './replays.tsx';
import { RotateDialog } from './rotation.tsx';
import { Stats } from './stats.tsx';
import { TestDialog } from './test-call.tsx';
import { useWebhookTexts } from './texts.ts';

/** The screen of an existing or new webhook. */
export function WebhookScreen() {
  const { webhookId } = useParams<'webhookId'>();
  const store = useStore();
  const words = useWebhookTexts();
  if (webhookId !== newId) return <Stored key={webhookId} id={webhookId} />;
  if (store.can('webhooks.write')) return <WebhookEditor id={newId} />;
  return <NoPermission title={words.new} role={store.role} needed={store.roleFor('webhooks.write')} />;
}

type WebhookDialog = 'check' | 'test' | 'replay' | 'rotate' | 'finish' | 'disable' | 'delete';

function Stored({ id }: { id: string }) {
  const words = useWebhookTexts();
  const common = useCommon();
  const store = useStore();
  const {
    data: { webhook, etag },
  } = useSuspenseQuery(webhookQuery(store.id, id));
  const { setStatus, remove, finish } = useWebhookActions(webhook, etag);
  const [dialog, setDialog] = useState<WebhookDialog | null>(null);
  const close = () => setDialog(null);
  const canWrite = store.can('webhooks.write');
  const isDisabled = webhook.status === 'disabled';
  return (
    <Screen
      title={getAddress(webhook)}
      subtitle={webhook.description}
      back={
        <TextLink href={paths.inStore(store.id, 'webhooks')}>
          {common.backTo({ place: words.title })}
        </TextLink>
      }
      actions={
        canWrite && (
          <>
            {isDisabled && (
              <Button look="primary" isPending={setStatus.isPending} onPress={() => setStatus.run('active')}>
                {words.enable}
              </Button>
            )}
            <Button onPress={() => setDialog('check')}>{words.check}</Button>
            <Button onPress={() => setDialog('test')}>{words.test}</Button>
            <LinkButton href={paths.inStore(store.id, 'webhooks', id, 'edit')}>{common.edit}</LinkButton>
            <WebhookMenu webhook={webhook} onDialog={setDialog} />
          </>
        )
      }
    >
      <WebhookNotices webhook={webhook} onFinish={canWrite ? () => setDialog('finish') : undefined} />
      <TwoColumns
        main={
          <>
            <Stats webhook={webhook} />
            <Deliveries webhook={webhook} />
          </>
        }
        side={
          <>
            <StatusCard webhook={webhook} />
            <Replays webhook={webhook} canWrite={canWrite} />
          </>
        }
      />
      <CheckDialog id={id} isOpen={dialog === 'check'} onClose={close} />
      <TestDialog webhook={webhook} isOpen={dialog === 'test'} onClose={close} />
      <ReplayDialog webhook={webhook} isOpen={dialog === 'replay'} onClose={close} />
      <RotateDialog webhook={webhook} isOpen={dialog === 'rotate'} onClose={close} />
      <ConfirmDialog
        title={words.finishTitle}
        confirm={words.finish}
        isOpen={dialog === 'finish'}
        onClose={close}
        onConfirm={() => finish.attempt(undefined)}
      >
        {words.finishHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.disableTitle}
        confirm={words.disable}
        isOpen={dialog === 'disable'}
        onClose={close}
        onConfirm={() => setStatus.attempt('disabled')}
      >
        {words.disableHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.deleteTitle}
        confirm={common.delete}
        isOpen={dialog === 'delete'}
        onClose={close}
        onConfirm={() => remove.attempt(undefined)}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}

/** Says until when the previous secret is valid, and which events were reduced. */
function WebhookNotices({
  webhook,
  onFinish,
}: {
  webhook: Webhook;
  /** Ends the validity of the previous secret. Missing: the user may not. */
  onFinish: (() => void) | undefined;
}) {
  const words = useWebhookTexts();
  const formats = useFormats();
  const { types } = useEventTypeTexts();
  return (
    <>
      {webhook.previousSecretExpiresAt && (
        <Notice
          tone="warn"
          title={words.overlapTitle}
          actions={
            onFinish && (
              <Button size="small" onPress={onFinish}>
                {words.finish}
              </Button>
            )
          }
        >
          {words.overlapUntil({ until: formats.dateTime(webhook.previousSecretExpiresAt) })}
        </Notice>
      )}
      {webhook.reducedEvents.length > 0 && (
        <Notice tone="warn" title={words.reducedTitle}>
          {words.reducedHint({ events: formats.list(webhook.reducedEvents.map((type) => types[type])) })}
        </Notice>
      )}
    </>
  );
}

function useWebhookActions(webhook: Webhook, etag: string | null) {
  const words = useWebhookTexts();
  const store = useStore();
  const queries = useQueryClient();
  const params = { path: { storeId: store.id, id: webhook.id } };
  const invalidates = [webhooksKey(store.id)];

  const setStatus = useMutation(
    (status: Webhook['status']) =>
      api.put('/api/stores/{storeId}/webhooks/{id}', {
        params,
        headers: etag ? { 'if-match': etag } : {},
        body: { ...toInput(webhook), status },
      }),
    {
      done: ({ webhook: { status } }) => (status === 'disabled' ? words.disabledDone : words.enabledDone),
      invalidates,
    },
  );
  const remove = useMutation(() => api.delete('/api/stores/{storeId}/webhooks/{id}', { params }), {
    done: words.deleted,
    onDone() {
      // Queries of the deleted webhook are only marked stale; this screen would read them again.
      void queries.invalidateQueries({ queryKey: webhooksKey(store.id), refetchType: 'none' });
      navigate(paths.inStore(store.id, 'webhooks'));
    },
  });
  const finish = useMutation(
    () => api.post('/api/stores/{storeId}/webhooks/{id}/rotate-secret/finish', { params }),
    { done: words.finished, invalidates },
  );
  return { setStatus, remove, finish };
}

/** The actions on a webhook that are rarely used. */
function WebhookMenu({ webhook, onDialog }: { webhook: Webhook; onDialog(dialog: WebhookDialog): void }) {
  const words = useWebhookTexts();
  const common = useCommon();
  const isDisabled = webhook.status === 'disabled';
  return (
    <ActionMenu
      label={common.actionsFor({ thing: getAddress(webhook) })}
      actions={[
        {
          id: 'replay',
          text: words.replay,
          onAction: () => onDialog('replay'),
          isDisabled,
        },
        { id: 'rotate', text: words.rotate, onAction: () => onDialog('rotate') },
        ...(isDisabled ? [] : [{ id: 'disable', text: words.disable, onAction: () => onDialog('disable') }]),
        { id: 'delete', text: common.delete, isDanger: true, onAction: () => onDialog('delete') },
      ]}
    />
  );
}

/** The status of a webhook and the data that nobody edits. */
function StatusCard({ webhook }: { webhook: Webhook }) {
  const words = useWebhookTexts();
  const common = useCommon();
  const formats = useFormats();
  return (
    <Card title={common.status}>
      <div>
        <StatusBadge status={webhook.status} />
      </div>
      <p>{words.statusHint[webhook.status]}</p>
      <Facts
        facts={[
          [words.events, <SubscribedEvents key="events" webhook={webhook} />],
          [words.madeByApp, webhook.appId && <code key="app">{webhook.appId}</code>],
          [common.created, formats.dateTime(webhook.createdAt)],
          [common.updated, formats.dateTime(webhook.updatedAt)],
          ['ID', <code key="id">{webhook.id}</code>],
        ]}
      />
    </Card>
  );
}

function SubscribedEvents({ webhook: { events, reducedEvents } }: { webhook: Webhook }) {
  const words = useWebhookTexts();
  const { types } = useEventTypeTexts();
  return (
    <ul>
      {events.map((type) => (
        <li key={type}>
          {types[type]} {reducedEvents.includes(type) && <Badge tone="warn">{words.reduced}</Badge>}
        </li>
      ))}
    </ul>
  );
}
