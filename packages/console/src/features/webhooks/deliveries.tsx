import { useSearch } from '@tanstack/react-router';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useEventTypeTexts } from '../../texts/event-types.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Badge, Card, Empty } from '../../ui/layout.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { type ColumnOf, ListPager, Table } from '../../ui/table.tsx';
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

/** The calls that were made of a webhook, and those that wait. */
export function Deliveries({ webhook: { id } }: { webhook: Webhook }) {
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
