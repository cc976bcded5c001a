import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { isWaybillError } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { useParams } from '../../router/router.tsx';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useEventTypeTexts } from '../../texts/event-types.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Badge, Card, CopyButton, Facts, Row, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { Attempts, DeliveryBadge } from './attempts.tsx';
import { createCurlCommand } from './curl.ts';
import {
  type Delivery,
  deliveryQuery,
  eventQuery,
  getAddress,
  webhookQuery,
  webhooksKey,
} from './queries.ts';
import { useWebhookTexts } from './texts.ts';

/** The screen of a delivery: its attempts, their answers and its event. */
export function DeliveryScreen() {
  const words = useWebhookTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const { webhookId, deliveryId } = useParams<'webhookId' | 'deliveryId'>();
  const { data: delivery } = useSuspenseQuery(deliveryQuery(store.id, webhookId, deliveryId));
  const { data: stored } = useQuery(webhookQuery(store.id, webhookId));
  const { types } = useEventTypeTexts();
  const redeliver = useMutation(
    () =>
      api.post('/api/stores/{storeId}/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
        params: { path: { storeId: store.id, id: webhookId, deliveryId } },
      }),
    { done: words.redelivered, invalidates: [webhooksKey(store.id)] },
  );
  return (
    <Screen
      title={types[delivery.eventType]}
      back={
        <TextLink href={paths.inStore(store.id, 'webhooks', webhookId)}>
          {common.backTo({ place: stored ? getAddress(stored.webhook) : words.title })}
        </TextLink>
      }
      subtitle={
        <Row>
          <DeliveryBadge delivery={delivery} />
          {delivery.isTest && <Badge tone="accent">{words.isTest}</Badge>}
        </Row>
      }
      actions={
        store.can('webhooks.write') && (
          <Button isPending={redeliver.isPending} onPress={() => redeliver.run(undefined)}>
            {words.redeliver}
          </Button>
        )
      }
    >
      <TwoColumns
        main={
          <>
            <Card title={words.attempts}>
              <Attempts attempts={delivery.attempts} />
            </Card>
            <EventOfDelivery delivery={delivery} url={stored?.webhook.url ?? null} />
          </>
        }
        side={
          <Card title={words.facts}>
            <Facts
              facts={[
                [words.when, formats.exact(delivery.createdAt)],
                [words.delivered, delivery.deliveredAt && formats.exact(delivery.deliveredAt)],
                [words.nextAttempt, delivery.nextAttemptAt && formats.exact(delivery.nextAttemptAt)],
                [words.eventType, <code key="type">{delivery.eventType}</code>],
                [
                  words.eventId,
                  delivery.isTest ? (
                    <code key="event">{delivery.eventId}</code>
                  ) : (
                    <TextLink key="event" href={paths.inStore(store.id, 'events', delivery.eventId)}>
                      {delivery.eventId}
                    </TextLink>
                  ),
                ],
                ['ID', <code key="id">{delivery.id}</code>],
              ]}
            />
          </Card>
        }
      />
    </Screen>
  );
}

/** The event of a delivery, if the user may read it. */
function EventOfDelivery({ delivery, url }: { delivery: Delivery; url: string | null }) {
  const words = useWebhookTexts();
  const store = useStore();
  const { data: event, error, refetch } = useQuery(eventQuery(store.id, delivery));
  return (
    <Card
      title={words.event}
      actions={
        event &&
        url && (
          <CopyButton
            label={words.copyCurl}
            text={createCurlCommand(url, event, { ...delivery, now: new Date() })}
          />
        )
      }
    >
      {isWaybillError(error, 'not_found') && <p>{words.eventGone}</p>}
      {error && !isWaybillError(error, 'not_found') && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      {!event && !error && <Skeleton lines={6} />}
      {event && (
        <>
          <p>
            {delivery.isTest && words.sampleHint} {words.curlHint}
          </p>
          <Code label={words.body} text={JSON.stringify(event, null, 2)} />
        </>
      )}
    </Card>
  );
}
