import { type ListSearch, useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Empty, Screen } from '../../ui/layout.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { readSections, type Section, sectionsKey } from './queries.ts';
import { useSectionTexts } from './texts.ts';

/** The global sections, which several pages share. */
export function SectionList() {
  const words = useSectionTexts();
  const store = useStore();
  if (store.can('pages.read')) return <List />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
}

function List() {
  const words = useSectionTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch<ListSearch>();
  const list = useList(sectionsKey(store.id), search, (given, signal) =>
    readSections(store.id, given, signal),
  );
  const columns: ColumnOf<Section>[] = [
    { id: 'name', title: common.name, isHeader: true, cell: ({ name }) => name },
    { id: 'saved', title: words.savedAt, isEnd: true, cell: ({ savedAt }) => formats.dateTime(savedAt) },
  ];
  return (
    <Screen title={words.title} subtitle={words.hint}>
      <ResourceList
        label={words.title}
        list={list}
        items={list.data?.sections}
        columns={columns}
        getHref={({ id }) => paths.inStore(store.id, 'sections', id)}
        empty={
          <Empty
            title={words.empty}
            action={<LinkButton href={paths.inStore(store.id, 'pages')}>{common.pages}</LinkButton>}
          >
            {words.emptyHint}
          </Empty>
        }
        summary={words.count}
      />
    </Screen>
  );
}
