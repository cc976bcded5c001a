import { useQueryClient } from '@tanstack/react-query';
import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
import { changeOf } from '../../shell/custom-fields/queries.ts';
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
import { type ArticleInput, Cover, Sorting, Status, Words } from './article-cards.tsx';
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

const inputOf = ({
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
  const formats = useFormats();
  const store = useStore();
  const queries = useQueryClient();
  const { read, adopt } = useResource(props, articleQuery(store.id, props.id));
  const article: Article | null = read?.article ?? null;
  const [question, setQuestion] = useState<'delete' | 'publish' | 'unpublish' | null>(null);
  const isBuilt = article?.bodyType === 'page';
  const key = articlesKey(store.id);
  const list = paths.inStore(store.id, 'blog');
  const params = { path: { storeId: store.id, id: article?.id ?? '' } };
  const invalidates = [key];
  const close = () => setQuestion(null);
  const form = useResourceForm<ArticleInput, Pick<Read, 'article'>>({
    stored: article ? inputOf(article) : blank,
    etag: read?.etag ?? null,
    canWrite: store.can('blog.write'),
    async save({ value, headers }) {
      const { slug, content, customFields, ...rest } = value;
      const fields = changeOf(article?.customFields, customFields);
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
      if (isBuilt) return api.patch('/api/stores/{storeId}/articles/{id}', { params, headers, body });
      return api.put('/api/stores/{storeId}/articles/{id}', {
        params,
        headers,
        body: { ...body, content, status: article.status },
      });
    },
    done: article ? common.saved : words.created,
    invalidates,
    onSaved: (saved) => adopt(saved, saved.article.id, `${list}/${saved.article.id}`),
  });
  const { canWrite } = form;
  const setStatus = (status: Article['status']) =>
    api.patch('/api/stores/{storeId}/articles/{id}', { params, body: { status } });
  const publish = useMutation(
    async () => {
      if (!isBuilt) return setStatus('published');
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
  const remove = useRemoval(form, {
    remove: () => api.delete('/api/stores/{storeId}/articles/{id}', { params }),
    done: words.deleted,
    leaveTo: list,
    queryKey: [...key, params.path.id],
    onRemoved: () => void queries.invalidateQueries({ queryKey: key, refetchType: 'none' }),
  });

  return (
    <Screen
      title={article ? article.title : words.new}
      back={<TextLink href={list}>{common.backTo(words.title)}</TextLink>}
      actions={
        article && (
          <>
            {article.status === 'published' && <ViewInShop href={`${store.url}blog/${article.slug}`} />}
            {canWrite && (
              <ActionMenu
                label={common.actionsFor(article.title)}
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
              <Words article={article} form={form} />
              <CustomFields entity="article" {...form.field('customFields')} />
            </>
          }
          side={
            <>
              {article && (
                <Status
                  article={article}
                  isDirty={form.isDirty}
                  onPublish={canWrite ? () => setQuestion('publish') : undefined}
                  onUnpublish={() => setQuestion('unpublish')}
                />
              )}
              <Cover
                article={article}
                id={form.value.coverMediaId}
                onChange={canWrite ? (coverMediaId) => form.change({ coverMediaId }) : undefined}
              />
              <Sorting form={form} />
              {article && (
                <Card title={words.facts}>
                  <Facts
                    facts={[
                      [common.created, formats.dateTime(article.createdAt)],
                      [common.updated, formats.dateTime(article.updatedAt)],
                      ['ID', <code key="id">{article.id}</code>],
                    ]}
                  />
                </Card>
              )}
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
        {isBuilt ? words.publishBuiltHint : words.publishHint}
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
