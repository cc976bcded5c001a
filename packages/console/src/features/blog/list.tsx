import { useQuery } from '@tanstack/react-query';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { createChoices, ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Badge, Empty, Row, Screen } from '../../ui/layout.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import {
  type Article,
  type ArticleSearch,
  articlesKey,
  type CategoryAtDepth,
  categoriesQuery,
  indented,
  readArticles,
} from './queries.ts';
import { State } from './state.tsx';
import { useBlogTexts } from './texts.ts';

export function ArticleList() {
  const words = useBlogTexts();
  const store = useStore();
  if (store.can('blog.read')) return <List />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('blog.read')} />;
}

function List() {
  const words = useBlogTexts();
  const common = useCommon();
  const store = useStore();
  const search = useSearch<ArticleSearch>();
  const list = useList(articlesKey(store.id), search, (given, signal) =>
    readArticles(store.id, given, signal),
  );
  const { data: categories = [] } = useQuery(categoriesQuery(store.id));
  const at = (id: string) => paths.inStore(store.id, 'blog', id);
  const create = store.can('blog.write') && (
    <LinkButton look="primary" href={at('new')}>
      {words.new}
    </LinkButton>
  );
  const columns = useArticleColumns(categories);
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
      <ResourceList
        label={words.title}
        list={list}
        items={list.data?.articles}
        columns={columns}
        getHref={({ id }) => at(id)}
        searchPlaceholder={words.searchPlaceholder}
        filters={[
          {
            name: 'status',
            label: common.status,
            any: words.anyStatus,
            choices: createChoices(['published', 'draft'], words.status),
          },
          {
            name: 'categoryId',
            label: words.category,
            any: words.anyCategory,
            choices: categories.map((category) => ({ id: category.id, text: indented(category) })),
          },
        ]}
        sort={{ dir: 'desc' }}
        empty={
          <Empty title={words.empty} action={create || undefined}>
            {words.emptyHint}
          </Empty>
        }
        summary={words.count}
      />
    </Screen>
  );
}

function useArticleColumns(categories: readonly CategoryAtDepth[]): ColumnOf<Article>[] {
  const words = useBlogTexts();
  const common = useCommon();
  const formats = useFormats();
  const findCategoryName = (id: string) => categories.find((category) => category.id === id)?.name;
  return [
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
      cell: ({ categoryIds }) =>
        formats.list(categoryIds.map(findCategoryName).filter((name) => name !== undefined)),
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
}
