import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useStore } from '../../api/me.ts';
import { isPreconditionFailed, useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
import { changeOf } from '../../shell/custom-fields/queries.ts';
import { newId, useForgetDeleted, useFormOf, useStored } from '../../shell/made.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { Conflict, Unsaved, useLeaving } from '../../shell/unsaved.tsx';
import { ViewInShop } from '../../shell/view-shop.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Facts, Screen, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
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

/** An article, or the one that is to be. */
export function ArticleScreen() {
  const { articleId } = useParams({ strict: false }) as { articleId: string };
  const store = useStore();
  const words = useBlogTexts();
  const { key, continueAs } = useFormOf(articleId);
  const needed = articleId === newId ? 'blog.write' : 'blog.read';
  if (!store.can(needed))
    return <NoPermission title={words.title} role={store.role} needed={store.roleFor(needed)} />;
  return <Editor key={key} id={articleId} continueAs={continueAs} />;
}

function Editor({ id, continueAs }: { id: string; continueAs(id: string, path: string): void }) {
  const words = useBlogTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const queries = useQueryClient();
  const [made, setMade] = useState<Read | null>(null);
  const read = useStored(id, articleQuery(store.id, id)) ?? made;
  const article: Article | null = read?.article ?? null;
  const draft = useDraft<ArticleInput>(article ? inputOf(article) : blank, read?.etag ?? null);
  const [question, setQuestion] = useState<'delete' | 'conflict' | 'publish' | 'unpublish' | null>(null);
  const { leave } = useLeaving(draft.isDirty);
  const { value } = draft;
  const canWrite = store.can('blog.write');
  const isBuilt = article?.bodyType === 'page';
  const key = articlesKey(store.id);
  const params = { path: { storeId: store.id, id: article?.id ?? '' } };
  const invalidates = [key];
  const close = () => setQuestion(null);

  const save = useMutation(
    async (condition: string | null) => {
      const { slug, content, customFields, ...rest } = value;
      const fields = changeOf(article?.customFields, customFields);
      const body = { ...rest, ...(slug && { slug }), customFields: fields };
      const headers = condition ? { 'if-match': condition } : {};
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
    {
      done: article ? common.saved : words.created,
      invalidates,
      handles: isPreconditionFailed,
      onDone(saved) {
        draft.markSaved();
        if (article) return;
        setMade({ etag: null, ...saved });
        continueAs(saved.article.id, paths.inStore(store.id, 'blog', saved.article.id));
      },
    },
  );
  const submit = (condition: string | null) =>
    save.attempt(condition).catch((error) => {
      if (isPreconditionFailed(error)) setQuestion('conflict');
    });
  const setStatus = (status: Article['status']) =>
    api.patch('/api/stores/{storeId}/articles/{id}', { params, body: { status } });
  const publish = useMutation(
    async () => {
      if (!isBuilt) return setStatus('published');
      try {
        return await api.post('/api/stores/{storeId}/articles/{id}/publish', { params });
      } catch (error) {
        // What was live before needs no new draft.
        if (isWaybillError(error, 'nothing_to_publish') && article?.status === 'draft')
          return setStatus('published');
        throw error;
      }
    },
    { done: words.published, invalidates },
  );
  const unpublish = useMutation(() => setStatus('draft'), { done: words.unpublished, invalidates });
  const forget = useForgetDeleted([...key, params.path.id]);
  const remove = useMutation(() => api.delete('/api/stores/{storeId}/articles/{id}', { params }), {
    done: words.deleted,
    onDone() {
      draft.reset();
      leave(paths.inStore(store.id, 'blog'));
      forget();
      void queries.invalidateQueries({ queryKey: key, refetchType: 'none' });
    },
  });

  return (
    <Screen
      title={article ? article.title : words.new}
      back={<TextLink href={paths.inStore(store.id, 'blog')}>{common.backTo(words.title)}</TextLink>}
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
      <Form mutation={save} isKept onSubmit={() => void submit(draft.baseEtag)}>
        <TwoColumns
          main={
            <>
              <Words article={article} draft={draft} canWrite={canWrite} />
              <CustomFields
                entity="article"
                value={value.customFields}
                onChange={(customFields) => draft.change({ customFields })}
                isReadOnly={!canWrite}
              />
            </>
          }
          side={
            <>
              {article && (
                <Status
                  article={article}
                  isDirty={draft.isDirty}
                  onPublish={canWrite ? () => setQuestion('publish') : undefined}
                  onUnpublish={() => setQuestion('unpublish')}
                />
              )}
              <Cover
                article={article}
                id={value.coverMediaId}
                onChange={canWrite ? (coverMediaId) => draft.change({ coverMediaId }) : undefined}
              />
              <Sorting draft={draft} canWrite={canWrite} />
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
        {canWrite && (
          <SaveBar
            label={article ? common.save : common.create}
            isPending={save.isPending}
            isDirty={draft.isDirty}
            onDiscard={draft.reset}
          />
        )}
      </Form>
      <Unsaved isDirty={draft.isDirty} />
      <Conflict
        isOpen={question === 'conflict'}
        onClose={close}
        onKeepMine={() => void submit(null)}
        onTakeTheirs={() => {
          draft.reset();
          void queries.invalidateQueries({ queryKey: key });
        }}
      />
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
        onConfirm={() => remove.attempt(undefined)}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}
