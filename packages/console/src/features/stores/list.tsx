import { useSearch } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { type ListSearch, useList } from '../../api/list.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Card, Empty, Screen } from '../../ui/layout.tsx';
import { ListPager, Table } from '../../ui/table.tsx';
import { useStoreTexts } from './texts.ts';

/** All stores of who is signed in: the switcher holds the first hundred. */
export function StoreList() {
  const words = useStoreTexts();
  const common = useCommon();
  const formats = useFormats();
  const search = useSearch({ strict: false }) as ListSearch;
  const list = useList(['stores', 'list'], search, ({ after }, signal) =>
    api.get('/api/stores', { params: { query: { limit: 50, ...(after && { after }) } }, signal }),
  );
  const create = (
    <LinkButton look="primary" href={paths.newStore}>
      {common.newStore}
    </LinkButton>
  );
  return (
    <Screen title={common.allStores} actions={create}>
      <Card isFlush>
        {list.error && !list.data ? (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label={common.allStores}
            columns={[
              { id: 'name', title: common.name, cell: ({ name }) => name },
              { id: 'slug', title: words.slug, isWide: true, cell: ({ slug }) => slug },
              { id: 'role', title: words.role, cell: ({ role }) => common.roles[role] },
              {
                id: 'created',
                title: common.created,
                isEnd: true,
                isWide: true,
                cell: ({ createdAt }) => formats.date(createdAt),
              },
            ]}
            items={list.data?.stores ?? []}
            hrefOf={({ id }) => paths.store(id)}
            isLoading={list.isFetching}
            empty={
              <Empty title={words.none} action={create}>
                {words.subtitle}
              </Empty>
            }
          />
        )}
        <ListPager list={list} summary={(total) => words.count(formats.number(total))} />
      </Card>
    </Screen>
  );
}
