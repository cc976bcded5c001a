import { api } from '../../api/client.ts';
import { type ListSearch, useList } from '../../api/list.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Empty, Screen } from '../../ui/layout.tsx';
import { useStoreTexts } from './texts.ts';

/** All stores of the signed-in user. The switcher shows only the first hundred. */
export function StoreList() {
  const words = useStoreTexts();
  const common = useCommon();
  const formats = useFormats();
  const search = useSearch<ListSearch>();
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
      <ResourceList
        label={common.allStores}
        list={list}
        items={list.data?.stores}
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
        getHref={({ id }) => paths.store(id)}
        empty={
          <Empty title={words.none} action={create}>
            {words.subtitle}
          </Empty>
        }
        summary={words.count}
      />
    </Screen>
  );
}
