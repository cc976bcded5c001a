import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct } from '../../api/act.ts';
import { api } from '../../api/client.ts';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { newId } from '../../shell/made.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useEventTypeTexts } from '../../texts/event-types.ts';
import { useFormats } from '../../texts/format.ts';
import { Bars } from '../../ui/bars.tsx';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Badge, Card, Empty, Facts, Notice, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { type ColumnOf, ListPager, Table } from '../../ui/table.tsx';
import { DeliveryBadge } from './attempts.tsx';
import { WebhookEditor } from './editor.tsx';
import { StatusBadge } from './list.tsx';
import {
  type Delivery,
  type DeliverySearch,
  deliveriesKey,
  type EventType,
  inputOf,
  isUnderway,
  readDeliveries,
  statsQuery,
  type Webhook,
  webhookQuery,
  webhooksKey,
} from './queries.ts';
import { ReplayDialog, Replays } from './replays.tsx';
import { RotateDialog } from './rotation.tsx';
import { TestDialog } from './test-call.tsx';
import { useWebhookTexts } from './texts.ts';
import style from './webhooks.module.css';

/** A webhook with its calls, or the one that is to be. */
export function WebhookScreen() {
  const { webhookId } = useParams({ strict: false }) as { webhookId: string };
  const store = useStore();
  const words = useWebhookTexts();
  if (webhookId !== newId) return <Stored key={webhookId} id={webhookId} />;
  if (store.can('webhooks.write')) return <WebhookEditor id={newId} />;
  return <NoPermission title={words.new} role={store.role} needed={store.roleFor('webhooks.write')} />;
}

type Asked = 'test' | 'replay' | 'rotate' | 'finish' | 'disable' | 'delete';

function Stored({ id }: { id: string }) {
  const words = useWebhookTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const router = useRouter();
  const queries = useQueryClient();
  const {
    data: { webhook, etag },
  } = useSuspenseQuery(webhookQuery(store.id, id));
  const { types } = useEventTypeTexts();
  const [asked, ask] = useState<Asked | null>(null);
  const close = () => ask(null);
  const canWrite = store.can('webhooks.write');
  const params = { path: { storeId: store.id, id } };
  const touches = [webhooksKey(store.id)];

  const setStatus = useAct(
    (status: Webhook['status']) =>
      api.put('/api/stores/{storeId}/webhooks/{id}', {
        params,
        headers: etag ? { 'if-match': etag } : {},
        body: { ...inputOf(webhook), status },
      }),
    {
      done: ({ webhook: { status } }) => (status === 'disabled' ? words.disabledDone : words.enabledDone),
      touches,
    },
  );
  const remove = useAct(() => api.delete('/api/stores/{storeId}/webhooks/{id}', { params }), {
    done: words.deleted,
    onDone() {
      // What this screen still shows is not asked for any more; the list asks anew.
      void queries.invalidateQueries({ queryKey: webhooksKey(store.id), refetchType: 'none' });
      router.history.push(paths.inStore(store.id, 'webhooks'));
    },
  });
  const finish = useAct(
    () => api.post('/api/stores/{storeId}/webhooks/{id}/rotate-secret/finish', { params }),
    { done: words.finished, touches },
  );

  const isDisabled = webhook.status === 'disabled';
  return (
    <Screen
      title={webhook.url}
      subtitle={webhook.description}
      back={<TextLink href={paths.inStore(store.id, 'webhooks')}>{common.backTo(words.title)}</TextLink>}
      actions={
        canWrite && (
          <>
            {isDisabled && (
              <Button look="primary" isPending={setStatus.isPending} onPress={() => setStatus.run('active')}>
                {words.enable}
              </Button>
            )}
            <Button onPress={() => ask('test')}>{words.test}</Button>
            <LinkButton href={paths.inStore(store.id, 'webhooks', id, 'edit')}>{common.edit}</LinkButton>
            <ActionMenu
              label={common.actionsFor(webhook.url)}
              actions={[
                {
                  id: 'replay',
                  text: words.replay,
                  onAction: () => ask('replay'),
                  isDisabled,
                },
                { id: 'rotate', text: words.rotate, onAction: () => ask('rotate') },
                ...(isDisabled
                  ? []
                  : [{ id: 'disable', text: words.disable, onAction: () => ask('disable') }]),
                { id: 'delete', text: common.delete, isDanger: true, onAction: () => ask('delete') },
              ]}
            />
          </>
        )
      }
    >
      {webhook.previousSecretExpiresAt && (
        <Notice
          tone="warn"
          title={words.overlapTitle}
          actions={
            canWrite && (
              <Button size="small" onPress={() => ask('finish')}>
                {words.finish}
              </Button>
            )
          }
        >
          {words.overlapUntil(formats.dateTime(webhook.previousSecretExpiresAt))}
        </Notice>
      )}
      {webhook.reducedEvents.length > 0 && (
        <Notice tone="warn" title={words.reducedTitle}>
          {words.reducedHint(formats.list(webhook.reducedEvents.map((type) => types[type])))}
        </Notice>
      )}
      <TwoColumns
        main={
          <>
            <Stats webhook={webhook} />
            <Deliveries webhook={webhook} />
          </>
        }
        side={
          <>
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
            <Replays webhook={webhook} canWrite={canWrite} />
          </>
        }
      />
      <TestDialog webhook={webhook} isOpen={asked === 'test'} onClose={close} />
      <ReplayDialog webhook={webhook} isOpen={asked === 'replay'} onClose={close} />
      <RotateDialog webhook={webhook} isOpen={asked === 'rotate'} onClose={close} />
      <ConfirmDialog
        title={words.finishTitle}
        confirm={words.finish}
        isOpen={asked === 'finish'}
        onClose={close}
        onConfirm={() => finish.attempt(undefined)}
      >
        {words.finishHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.disableTitle}
        confirm={words.disable}
        isOpen={asked === 'disable'}
        onClose={close}
        onConfirm={() => setStatus.attempt('disabled')}
      >
        {words.disableHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.deleteTitle}
        confirm={common.delete}
        isOpen={asked === 'delete'}
        onClose={close}
        onConfirm={() => remove.attempt(undefined)}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
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

const periods = { day: { hours: 24, step: 1 }, week: { hours: 168, step: 6 } } as const;

function Stats({ webhook: { id } }: { webhook: Webhook }) {
  const words = useWebhookTexts();
  const formats = useFormats();
  const store = useStore();
  const [period, setPeriod] = useState<keyof typeof periods>('day');
  const { hours, step } = periods[period];
  const { data, error, refetch } = useQuery(statsQuery(store.id, id, hours));
  const count = formats.number;
  const ms = (value: number | null) => (value === null ? '–' : words.ms(count(value)));
  return (
    <Card
      title={words.calls}
      actions={
        <Select<keyof typeof periods>
          label={words.period}
          isLabelHidden
          choices={[
            { id: 'day', text: words.lastDay },
            { id: 'week', text: words.lastWeek },
          ]}
          value={period}
          onChange={setPeriod}
        />
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && (
        <>
          <dl className={style.figures}>
            {[
              [words.delivered, count(data.delivered)],
              [words.failed, count(data.failed)],
              [words.pending, count(data.pending)],
              [words.median, ms(data.p50Ms)],
              [words.slowest, ms(data.p95Ms)],
            ].map(([term, value]) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <Bars
            label={words.chart(count(data.delivered), count(data.failed))}
            bars={summed(data.buckets, step).map(({ start, delivered, failed }) => ({
              title: formats.dateTime(start),
              value: delivered + failed,
              bad: failed,
              text: words.bar(count(delivered), count(failed)),
            }))}
          />
        </>
      )}
    </Card>
  );
}

interface Bucket {
  start: string;
  delivered: number;
  failed: number;
}

/** Of so many hours one: a week of hours has no room on a phone. */
function summed(buckets: readonly Bucket[], step: number): Bucket[] {
  const starts = buckets.filter((_, position) => position % step === 0);
  return starts.map(({ start }, position) => {
    const within = buckets.slice(position * step, (position + 1) * step);
    return {
      start,
      delivered: within.reduce((sum, { delivered }) => sum + delivered, 0),
      failed: within.reduce((sum, { failed }) => sum + failed, 0),
    };
  });
}

const deliveryStatuses = ['pending', 'retrying', 'delivered', 'dead', 'cancelled'] as const;

function Deliveries({ webhook: { id } }: { webhook: Webhook }) {
  const words = useWebhookTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const { types, deliveryStatus } = useEventTypeTexts();
  const search = useSearch({ strict: false }) as DeliverySearch;
  const list = useList(
    deliveriesKey(store.id, id),
    search,
    (given, signal) => readDeliveries(store.id, id, given, signal),
    ({ deliveries }) => deliveries.some(isUnderway),
  );
  const isFiltered = Boolean(search.status ?? search.eventType ?? search.eventId);
  const columns: ColumnOf<Delivery>[] = [
    {
      id: 'event',
      title: words.eventType,
      isHeader: true,
      cell: ({ eventType, isTest, createdAt }) => (
        <span className={style.two}>
          {types[eventType]} {isTest && <Badge tone="accent">{words.isTest}</Badge>}
          <small>{formats.exact(createdAt)}</small>
        </span>
      ),
    },
    { id: 'result', title: words.result, cell: (delivery) => <DeliveryBadge delivery={delivery} /> },
    {
      id: 'attempts',
      title: words.attempts,
      isWide: true,
      isEnd: true,
      cell: ({ attempt }) => formats.number(attempt),
    },
  ];
  return (
    <Card title={words.deliveries} isFlush>
      <Filters>
        <Select
          label={words.result}
          isLabelHidden
          choices={[
            { id: 'any', text: words.anyStatus },
            ...deliveryStatuses.map((status) => ({ id: status, text: deliveryStatus[status] })),
          ]}
          value={search.status ?? 'any'}
          onChange={(status) => list.change({ status: status === 'any' ? undefined : status })}
        />
        <Select
          label={words.eventType}
          isLabelHidden
          choices={[
            { id: 'any', text: words.anyEvent },
            ...(Object.keys(types) as EventType[]).map((type) => ({ id: type, text: types[type] })),
          ]}
          value={search.eventType ?? 'any'}
          onChange={(eventType) => list.change({ eventType: eventType === 'any' ? undefined : eventType })}
        />
        <SearchField
          label={words.eventId}
          value={search.eventId ?? ''}
          onChange={(eventId) => list.change({ eventId: eventId.trim() || undefined })}
        />
      </Filters>
      {list.error && !list.data ? (
        <Failure error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Table
          label={words.deliveries}
          columns={columns}
          items={list.data?.deliveries ?? []}
          hrefOf={(delivery) => paths.inStore(store.id, 'webhooks', id, 'deliveries', delivery.id)}
          isLoading={list.isLoading || list.isPlaceholderData}
          empty={
            isFiltered ? (
              <Empty
                title={common.nothingFound}
                action={
                  <Button
                    onPress={() =>
                      list.change({ status: undefined, eventType: undefined, eventId: undefined })
                    }
                  >
                    {common.clearFilters}
                  </Button>
                }
              >
                {common.nothingFoundHint}
              </Empty>
            ) : (
              <Empty title={words.noDeliveries}>{words.noDeliveriesHint}</Empty>
            )
          }
        />
      )}
      <ListPager list={list} summary={words.deliveryCount} />
    </Card>
  );
}
