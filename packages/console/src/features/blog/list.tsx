import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Badge, Card, Empty, Row, Screen } from '../../ui/layout.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { type ColumnOf, ListPager, Table } from '../../ui/table.tsx';
import {
  type Article,
  type ArticleSearch,
  articlesKey,
  categoriesQuery,
  indented,
  readArticles,
} from './queries.ts';
import { State } from './state.tsx';
import { useBlogTexts } from './texts.ts';

const any = 'any';

export function ArticleList() {
  const words = useBlogTexts();
  const store = useStore();
  if (store.can('blog.read')) return <List />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('blog.read')} />;
}

function List() {
  const words = useBlogTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch({ strict: false }) as ArticleSearch;
  const list = useList(articlesKey(store.id), search, (given, signal) =>
    readArticles(store.id, given, signal),
  );
  const { data: categories = [] } = useQuery(categoriesQuery(store.id));
  const nameOf = (id: string) => categories.find((category) => category.id === id)?.name;
  const isFiltered = [search.q, search.status, search.categoryId].some((given) => given !== undefined);
  const at = (id: string) => paths.inStore(store.id, 'blog', id);
  const create = store.can('blog.write') && (
    <LinkButton look="primary" href={at('new')}>
      {words.new}
    </LinkButton>
  );
  const columns: ColumnOf<Article>[] = [
    {
      id: 'title',
      title: words.articleTitle,
      sort: 'title',
      isHeader: true,
      cell: ({ title, bodyType }) => (
        <Row>
          {title}
          {bodyType === 'page' && <Badge tone="accent">{words.builder}</Badge>}
        </Row>
      ),
    },
    {
      id: 'status',
      title: common.status,
      cell: (article) => <State article={article} />,
    },
    {
      id: 'categories',
      title: words.categories,
      isWide: true,
      cell: ({ categoryIds }) => formats.list(categoryIds.map(nameOf).filter((name) => name !== undefined)),
    },
    {
      id: 'published',
      title: words.publishedAt,
      sort: 'published',
      isWide: true,
      isEnd: true,
      cell: ({ publishedAt }) => (publishedAt ? formats.date(publishedAt) : '–'),
    },
    {
      id: 'updated',
      title: common.updated,
      sort: 'updated',
      isWide: true,
      isEnd: true,
      cell: ({ updatedAt }) => formats.date(updatedAt),
    },
  ];
  return (
    <Screen
      title={words.title}
      actions={
        <>
          <LinkButton href={at('categories')}>{words.categories}</LinkButton>
          {create}
        </>
      }
    >
      <Card isFlush>
        <Filters>
          <SearchField
            label={common.search}
            placeholder={words.searchPlaceholder}
            value={search.q ?? ''}
            onChange={(q) => list.change({ q: q || undefined })}
          />
          <div>
            <Select
              label={common.status}
              isLabelHidden
              choices={[
                { id: any, text: words.anyStatus },
                { id: 'published', text: words.status.published },
                { id: 'draft', text: words.status.draft },
              ]}
              value={search.status ?? any}
              onChange={(status) => list.change({ status: status === any ? undefined : status })}
            />
          </div>
          <div>
            <Select
              label={words.category}
              isLabelHidden
              choices={[
                { id: any, text: words.anyCategory },
                ...categories.map((category) => ({ id: category.id, text: indented(category) })),
              ]}
              value={search.categoryId ?? any}
              onChange={(id) => list.change({ categoryId: id === any ? undefined : id })}
            />
          </div>
        </Filters>
        {list.error && !list.data ? (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label={words.title}
            columns={columns}
            items={list.data?.articles ?? []}
            hrefOf={({ id }) => at(id)}
            sort={search.sort ? { by: search.sort, dir: search.dir ?? 'desc' } : undefined}
            onSort={({ by, dir }) => list.change({ sort: by, dir })}
            isLoading={list.isFetching}
            empty={
              isFiltered ? (
                <Empty
                  title={common.nothingFound}
                  action={
                    <Button
                      onPress={() => list.change({ q: undefined, status: undefined, categoryId: undefined })}
                    >
                      {common.clearFilters}
                    </Button>
                  }
                >
                  {common.nothingFoundHint}
                </Empty>
              ) : (
                <Empty title={words.empty} action={create || undefined}>
                  {words.emptyHint}
                </Empty>
              )
            }
          />
        )}
        <ListPager list={list} summary={(total) => words.count(formats.number(total))} />
      </Card>
    </Screen>
  );
}
