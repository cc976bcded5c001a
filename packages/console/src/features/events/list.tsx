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
import { Card, Empty, Screen } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { type ColumnOf, Pager, Table } from '../../ui/table.tsx';
import {
  defaultPeriod,
  type Event,
  type EventSearch,
  eventsKey,
  type Period,
  periodOf,
  periods,
  readEvents,
} from './queries.ts';
import { useEventTexts } from './texts.ts';

/** The store's log of events. */
export function EventList() {
  const words = useEventTexts();
  const common = useCommon();
  const formats = useFormats();
  const { types } = useEventTypeTexts();
  const store = useStore();
  const search = useSearch({ strict: false }) as EventSearch;
  const list = useList(eventsKey(store.id), search, (given, signal) => readEvents(store.id, given, signal));
  const columns: ColumnOf<Pick<Event, 'id' | 'type' | 'createdAt'>>[] = [
    { id: 'type', title: words.type, isHeader: true, cell: ({ type }) => types[type] },
    { id: 'code', title: words.code, isWide: true, cell: ({ type }) => <code>{type}</code> },
    { id: 'id', title: words.id, isWide: true, cell: ({ id }) => <code>{id}</code> },
    { id: 'when', title: words.when, isEnd: true, cell: ({ createdAt }) => formats.exact(createdAt) },
  ];
  const events = list.data?.events ?? [];
  return (
    <Screen title={words.title} subtitle={words.subtitle}>
      <Card isFlush>
        <Filters>
          <Select<Period>
            label={words.period}
            isLabelHidden
            choices={(Object.keys(periods) as Period[]).map((id) => ({ id, text: words.periods[id] }))}
            value={periodOf(search)}
            onChange={(period) => list.change({ period: period === defaultPeriod ? undefined : period })}
          />
          <Select
            label={words.type}
            isLabelHidden
            choices={[
              { id: 'any', text: words.anyType },
              ...Object.entries(types).map(([id, text]) => ({ id, text })),
            ]}
            value={search.type ?? 'any'}
            onChange={(type) => list.change({ type: type === 'any' ? undefined : type })}
          />
        </Filters>
        {list.error && !list.data ? (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label={words.title}
            columns={columns}
            items={events}
            hrefOf={({ id }) => paths.inStore(store.id, 'events', id)}
            isLoading={list.isFetching}
            empty={
              search.type ? (
                <Empty
                  title={common.nothingFound}
                  action={
                    <Button onPress={() => list.change({ type: undefined, period: 'all' })}>
                      {common.clearFilters}
                    </Button>
                  }
                >
                  {common.nothingFoundHint}
                </Empty>
              ) : (
                <Empty
                  title={words.empty}
                  action={
                    periodOf(search) !== 'all' && (
                      <Button onPress={() => list.change({ period: 'all' })}>{words.periods.all}</Button>
                    )
                  }
                >
                  {words.emptyHint}
                </Empty>
              )
            }
          />
        )}
        {events.length > 0 && (
          <Pager summary={words.shown(events.length)} onNext={list.onNext} onPrevious={list.onPrevious} />
        )}
      </Card>
    </Screen>
  );
}
