import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { createChoices, ResourceList } from '../../shell/resource-list.tsx';
import { useEventTypeTexts } from '../../texts/event-types.ts';
import { useFormats } from '../../texts/format.ts';
import { Badge, Empty } from '../../ui/layout.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { DeliveryBadge } from './attempts.tsx';
import {
  type Delivery,
  type DeliverySearch,
  deliveriesKey,
  type EventType,
  isUnderway,
  readDeliveries,
  type Webhook,
} from './queries.ts';
import { useWebhookTexts } from './texts.ts';
import style from './webhooks.module.css';

const deliveryStatuses = ['pending', 'retrying', 'delivered', 'dead', 'cancelled'] as const;

/** The past and pending deliveries of a webhook. */
export function Deliveries({ webhook: { id } }: { webhook: Webhook }) {
  const words = useWebhookTexts();
  const formats = useFormats();
  const store = useStore();
  const { types, deliveryStatus } = useEventTypeTexts();
  const search = useSearch<DeliverySearch>();
  const list = useList(
    deliveriesKey(store.id, id),
    search,
    (given, signal) => readDeliveries(store.id, id, given, signal),
    ({ deliveries }) => deliveries.some(isUnderway),
  );
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
    <ResourceList
      label={words.deliveries}
      title={words.deliveries}
      list={list}
      items={list.data?.deliveries}
      columns={columns}
      getHref={(delivery) => paths.inStore(store.id, 'webhooks', id, 'deliveries', delivery.id)}
      filters={[
        {
          name: 'status',
          label: words.result,
          any: words.anyStatus,
          choices: createChoices(deliveryStatuses, deliveryStatus),
        },
        {
          name: 'eventType',
          label: words.eventType,
          any: words.anyEvent,
          choices: createChoices(Object.keys(types) as EventType[], types),
        },
      ]}
      moreFilters={
        <SearchField
          label={words.eventId}
          value={search.eventId ?? ''}
          onChange={(eventId) => list.change({ eventId: eventId.trim() || undefined })}
        />
      }
      narrowing={['eventId']}
      isLoading={list.isLoading || list.isPlaceholderData}
      empty={<Empty title={words.noDeliveries}>{words.noDeliveriesHint}</Empty>}
      summary={words.deliveryCount}
    />
  );
}
