import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { useEventTypeTexts } from '../../texts/event-types.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Screen } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import {
  defaultPeriod,
  type Event,
  type EventSearch,
  eventsKey,
  type Period,
  periods,
  readEvents,
  readPeriod,
} from './queries.ts';
import { useEventTexts } from './texts.ts';

/** The store's event log. */
export function EventList() {
  const words = useEventTexts();
  const formats = useFormats();
  const { types } = useEventTypeTexts();
  const store = useStore();
  const search = useSearch<EventSearch>();
  const list = useList(eventsKey(store.id), search, (given, signal) => readEvents(store.id, given, signal));
  const columns: ColumnOf<Pick<Event, 'id' | 'type' | 'createdAt'>>[] = [
    { id: 'type', title: words.type, isHeader: true, cell: ({ type }) => types[type] },
    { id: 'code', title: words.code, isWide: true, cell: ({ type }) => <code>{type}</code> },
    { id: 'id', title: words.id, isWide: true, cell: ({ id }) => <code>{id}</code> },
    { id: 'when', title: words.when, isEnd: true, cell: ({ createdAt }) => formats.exact(createdAt) },
  ];
  return (
    <Screen title={words.title} subtitle={words.subtitle}>
      <ResourceList
        label={words.title}
        list={list}
        items={list.data?.events}
        columns={columns}
        getHref={({ id }) => paths.inStore(store.id, 'events', id)}
        moreFilters={
          <Select<Period>
            label={words.period}
            isLabelHidden
            choices={(Object.keys(periods) as Period[]).map((id) => ({ id, text: words.periods[id] }))}
            value={readPeriod(search)}
            onChange={(period) => list.change({ period: period === defaultPeriod ? undefined : period })}
          />
        }
        filters={[
          {
            name: 'type',
            label: words.type,
            any: words.anyType,
            choices: Object.entries(types).map(([id, text]) => ({ id, text })),
          },
        ]}
        showAll={{ period: 'all' }}
        empty={
          <Empty
            title={words.empty}
            action={
              readPeriod(search) !== 'all' && (
                <Button onPress={() => list.change({ period: 'all' })}>{words.periods.all}</Button>
              )
            }
          >
            {words.emptyHint}
          </Empty>
        }
        summary={words.shown}
      />
    </Screen>
  );
}
