import { useQueryClient } from '@tanstack/react-query';
import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
import { findChanges } from '../../shell/custom-fields/queries.ts';
import {
  FormSaveBar,
  ResourceForm,
  type ResourceProps,
  ResourceRoute,
  useRemoval,
  useResource,
  useResourceForm,
} from '../../shell/resource-form.tsx';
import { ViewInShop } from '../../shell/view-shop.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { Card, Facts, Screen, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { type ArticleInput, ArticleTextCard, CoverCard, SortingCard, StatusCard } from './article-cards.tsx';
import { type Article, articleQuery, articlesKey, type Read } from './queries.ts';
import { useBlogTexts } from './texts.ts';

const blank: ArticleInput = {
  title: '',
  slug: '',
  excerpt: '',
  content: '',
  categoryIds: [],
  coverMediaId: null,
  tags: [],
  customFields: {},
};

const toInput = ({
  title,
  slug,
  excerpt,
  content,
  categoryIds,
  coverMediaId,
  tags,
  customFields,
}: Article): ArticleInput => ({
  title,
  slug,
  excerpt,
  content,
  categoryIds,
  coverMediaId,
  tags,
  customFields,
});

/** The screen of an existing or new article. */
export const ArticleScreen = () => (
  <ResourceRoute
    param="articleId"
    title={useBlogTexts().title}
    toRead="blog.read"
    toCreate="blog.write"
    form={Editor}
  />
);

function Editor(props: ResourceProps) {
  const words = useBlogTexts();
  const common = useCommon();
  const store = useStore();
  const { article, form } = useArticleForm(props);
  const { publish, unpublish } = usePublication(article);
  const remove = useArticleRemoval(article, form);
  const [question, setQuestion] = useState<'delete' | 'publish' | 'unpublish' | null>(null);
  const close = () => setQuestion(null);
  const { canWrite } = form;
  return (
    <Screen
      title={article ? article.title : words.new}
      back={
        <TextLink href={paths.inStore(store.id, 'blog')}>{common.backTo({ place: words.title })}</TextLink>
      }
      actions={
        article && (
          <>
            {article.status === 'published' && <ViewInShop href={`${store.url}blog/${article.slug}`} />}
            {canWrite && (
              <ActionMenu
                label={common.actionsFor({ thing: article.title })}
                actions={[
                  {
                    id: 'delete',
                    text: common.delete,
                    isDanger: true,
                    onAction: () => setQuestion('delete'),
                  },
                ]}
              />
            )}
          </>
        )
      }
    >
      <ResourceForm form={form} bar={<FormSaveBar form={form} isNew={!article} />}>
        <TwoColumns
          main={
            <>
              <ArticleTextCard article={article} form={form} />
              <CustomFields entity="article" {...form.field('customFields')} />
            </>
          }
          side={
            <>
              {article && (
                <StatusCard
                  article={article}
                  isDirty={form.isDirty}
                  onPublish={canWrite ? () => setQuestion('publish') : undefined}
                  onUnpublish={() => setQuestion('unpublish')}
                />
              )}
              <CoverCard
                article={article}
                id={form.value.coverMediaId}
                onChange={canWrite ? (coverMediaId) => form.change({ coverMediaId }) : undefined}
              />
              <SortingCard form={form} />
              {article && <FactsCard article={article} />}
            </>
          }
        />
      </ResourceForm>
      <ConfirmDialog
        title={words.publishTitle}
        confirm={words.publish}
        isOpen={question === 'publish'}
        onClose={close}
        onConfirm={() => publish.attempt(undefined)}
        isDanger={false}
      >
        {isBuilt(article) ? words.publishBuiltHint : words.publishHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.unpublishTitle}
        confirm={words.unpublish}
        isOpen={question === 'unpublish'}
        onClose={close}
        onConfirm={() => unpublish.attempt(undefined)}
      >
        {words.unpublishHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.deleteTitle}
        confirm={common.delete}
        isOpen={question === 'delete'}
        onClose={close}
        onConfirm={() => remove.attempt()}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}

/** Whether the article is built of elements in the page editor, and is published from a draft. */
const isBuilt = (article: Article | null) => article?.bodyType === 'page';

/** The article and its form. A new article is created by the first save. */
function useArticleForm(props: ResourceProps) {
  const words = useBlogTexts();
  const common = useCommon();
  const store = useStore();
  const queries = useQueryClient();
  const { read, adopt } = useResource(props, articleQuery(store.id, props.id));
  const article: Article | null = read?.article ?? null;
  const form = useResourceForm<ArticleInput, Pick<Read, 'article'>>({
    stored: article ? toInput(article) : blank,
    etag: read?.etag ?? null,
    canWrite: store.can('blog.write'),
    async save({ value, headers }) {
      const { slug, content, customFields, ...rest } = value;
      const fields = findChanges(article?.customFields, customFields);
      const body = { ...rest, ...(slug && { slug }), customFields: fields };
      if (!article) {
        const { article: saved, ...said } = await api.post('/api/stores/{storeId}/articles', {
          params: { path: { storeId: store.id } },
          body: { ...body, content },
        });
        const read = await queries
          .fetchQuery(articleQuery(store.id, saved.id))
          .catch(() => ({ article: saved }));
        return { ...read, ...said };
      }
      const params = { path: { storeId: store.id, id: article.id } };
      if (isBuilt(article))
        return api.patch('/api/stores/{storeId}/articles/{id}', { params, headers, body });
      return api.put('/api/stores/{storeId}/articles/{id}', {
        params,
        headers,
        body: { ...body, content, status: article.status },
      });
    },
    done: article ? common.saved : words.created,
    invalidates: [articlesKey(store.id)],
    onSaved: (saved) => adopt(saved, saved.article.id, paths.inStore(store.id, 'blog', saved.article.id)),
  });
  return { article, form };
}

function usePublication(article: Article | null) {
  const words = useBlogTexts();
  const store = useStore();
  const params = { path: { storeId: store.id, id: article?.id ?? '' } };
  const invalidates = [articlesKey(store.id)];
  const setStatus = (status: Article['status']) =>
    api.patch('/api/stores/{storeId}/articles/{id}', { params, body: { status } });
  const publish = useMutation(
    async () => {
      if (!isBuilt(article)) return setStatus('published');
      try {
        return await api.post('/api/stores/{storeId}/articles/{id}/publish', { params });
      } catch (error) {
        // An article that was live before can be published again without a new draft.
        if (isWaybillError(error, 'nothing_to_publish') && article?.status === 'draft')
          return setStatus('published');
        throw error;
      }
    },
    { done: words.published, invalidates },
  );
  const unpublish = useMutation(() => setStatus('draft'), { done: words.unpublished, invalidates });
  return { publish, unpublish };
}

function useArticleRemoval(article: Article | null, form: ReturnType<typeof useArticleForm>['form']) {
  const words = useBlogTexts();
  const store = useStore();
  const queries = useQueryClient();
  const key = articlesKey(store.id);
  const id = article?.id ?? '';
  return useRemoval(form, {
    remove: () =>
      api.delete('/api/stores/{storeId}/articles/{id}', { params: { path: { storeId: store.id, id } } }),
    done: words.deleted,
    leaveTo: paths.inStore(store.id, 'blog'),
    queryKey: [...key, id],
    onRemoved: () => void queries.invalidateQueries({ queryKey: key, refetchType: 'none' }),
  });
}

/** The data of an article that nobody edits. */
function FactsCard({ article }: { article: Article }) {
  const words = useBlogTexts();
  const common = useCommon();
  const formats = useFormats();
  return (
    <Card title={words.facts}>
      <Facts
        facts={[
          [common.created, formats.dateTime(article.createdAt)],
          [common.updated, formats.dateTime(article.updatedAt)],
          ['ID', <code key="id">{article.id}</code>],
        ]}
      />
    </Card>
  );
}
