import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { type ListSearch, useList } from '../../api/list.ts';
import { useMe } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Empty, Screen } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { reviewKey } from './queries.ts';
import { useReviewTexts } from './texts.ts';

type Item = Model<'ReviewItem'>;
const states = ['submitted', 'approved', 'rejected', 'withdrawn'] as const;

/** The versions that wait for review, oldest first. */
export function Queue() {
  const words = useReviewTexts();
  const { isReviewer } = useMe();
  if (isReviewer) return <Versions />;
  return (
    <Screen title={words.title}>
      <Empty title={words.title}>{words.reviewersOnly}</Empty>
    </Screen>
  );
}

function Versions() {
  const words = useReviewTexts();
  const common = useCommon();
  const formats = useFormats();
  const search = useSearch<ListSearch & { state?: string }>();
  const state = states.find((each) => each === search.state) ?? 'submitted';
  const list = useList([...reviewKey, 'list'], search, ({ after }, signal) =>
    api.get('/api/review/versions', {
      params: { query: { state, limit: 50, ...(after && { after }) } },
      signal,
    }),
  );
  const columns: ColumnOf<Item>[] = [
    { id: 'app', title: words.app, cell: ({ app }) => app.name },
    { id: 'number', title: words.version, isEnd: true, cell: ({ number }) => formats.number(number) },
    {
      id: 'submitted',
      title: words.submitted,
      isEnd: true,
      cell: ({ submittedAt }) => submittedAt && formats.dateTime(submittedAt),
    },
  ];
  return (
    <Screen title={words.title}>
      <ResourceList
        label={words.queue}
        list={list}
        items={list.data?.versions}
        columns={columns}
        getHref={({ id }) => paths.reviewVersion(id)}
        moreFilters={
          <Select
            label={common.status}
            isLabelHidden
            choices={states.map((id) => ({ id, text: words.state[id] }))}
            value={state}
            onChange={(next) => list.change({ state: next === 'submitted' ? undefined : next })}
          />
        }
        empty={
          state === 'submitted' ? (
            <Empty title={words.empty}>{words.emptyHint}</Empty>
          ) : (
            <Empty title={common.nothingFound}>{common.nothingFoundHint}</Empty>
          )
        }
        summary={({ count }) => (state === 'submitted' ? words.waiting({ count }) : formats.number(count))}
      />
    </Screen>
  );
}
