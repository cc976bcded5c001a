import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { isPreconditionFailed, useAct } from '../../api/act.ts';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useStore } from '../../api/me.ts';
import { uploadFile } from '../../api/upload.ts';
import { paths } from '../../paths.ts';
import { newId, useForgetting, useFormOf, useStored } from '../../shell/made.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { Conflict, Unsaved, useLeaving } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { Checkbox, CheckboxGroup } from '../../ui/choices.tsx';
import { FilePicker } from '../../ui/files.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Facts, Notice, Progress, Row, Screen, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './blog.module.css';
import { type Article, articleQuery, articlesKey, categoriesQuery, indented, type Read } from './queries.ts';
import { useBlogTexts } from './texts.ts';

type Input = Pick<
  Article,
  'title' | 'slug' | 'excerpt' | 'content' | 'categoryIds' | 'coverMediaId' | 'tags'
>;

const blank: Input = {
  ...{ title: '', slug: '', excerpt: '', content: '' },
  ...{ categoryIds: [], coverMediaId: null, tags: [] },
};

const inputOf = ({ title, slug, excerpt, content, categoryIds, coverMediaId, tags }: Article): Input => ({
  ...{ title, slug, excerpt, content },
  ...{ categoryIds, coverMediaId, tags },
});

/** An article, or the one that is to be. */
export function ArticleScreen() {
  const { articleId } = useParams({ strict: false }) as { articleId: string };
  const store = useStore();
  const words = useBlogTexts();
  const { key, goOn } = useFormOf(articleId);
  const needed = articleId === newId ? 'blog.write' : 'blog.read';
  if (!store.can(needed))
    return <NoPermission title={words.title} role={store.role} needed={store.roleFor(needed)} />;
  return <Editor key={key} id={articleId} goOn={goOn} />;
}

function Editor({ id, goOn }: { id: string; goOn(id: string, path: string): void }) {
  const words = useBlogTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const queries = useQueryClient();
  const { data: categories = [] } = useQuery(categoriesQuery(store.id));
  const [made, setMade] = useState<Read | null>(null);
  const read = useStored(id, articleQuery(store.id, id)) ?? made;
  const article: Article | null = read?.article ?? null;
  const draft = useDraft<Input>(article ? inputOf(article) : blank, read?.etag ?? null);
  const [question, ask] = useState<'delete' | 'conflict' | 'publish' | 'unpublish' | null>(null);
  const { leave } = useLeaving(draft.isDirty);
  const { value } = draft;
  const canWrite = store.can('blog.write');
  const isBuilt = article?.bodyType === 'page';
  const key = articlesKey(store.id);
  const params = { path: { storeId: store.id, id: article?.id ?? '' } };
  const touches = [key];
  const close = () => ask(null);

  const save = useAct(
    async (condition: string | null) => {
      const { slug, content, ...rest } = value;
      const body = { ...rest, ...(slug && { slug }) };
      const headers = condition ? { 'if-match': condition } : {};
      if (!article) {
        const { article: saved } = await api.post('/api/stores/{storeId}/articles', {
          params: { path: { storeId: store.id } },
          body: { ...body, content },
        });
        return queries.fetchQuery(articleQuery(store.id, saved.id)).catch(() => ({ article: saved }));
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
      touches,
      handles: isPreconditionFailed,
      onDone(saved) {
        draft.settle();
        if (article) return;
        setMade({ etag: null, ...saved });
        goOn(saved.article.id, paths.inStore(store.id, 'blog', saved.article.id));
      },
    },
  );
  const submit = (condition: string | null) =>
    save.attempt(condition).catch((error) => {
      if (isPreconditionFailed(error)) ask('conflict');
    });
  const setStatus = (status: Article['status']) =>
    api.patch('/api/stores/{storeId}/articles/{id}', { params, body: { status } });
  const publish = useAct(
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
    { done: words.published, touches },
  );
  const unpublish = useAct(() => setStatus('draft'), { done: words.unpublished, touches });
  const forget = useForgetting([...key, params.path.id]);
  const remove = useAct(() => api.delete('/api/stores/{storeId}/articles/{id}', { params }), {
    done: words.deleted,
    onDone() {
      draft.drop();
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
        article &&
        canWrite && (
          <ActionMenu
            label={common.actionsFor(article.title)}
            actions={[{ id: 'delete', text: common.delete, isDanger: true, onAction: () => ask('delete') }]}
          />
        )
      }
    >
      <Form problems={save.problems} onSubmit={() => void submit(draft.basis)}>
        <TwoColumns
          main={
            <Card title={words.article}>
              <TextField
                label={words.articleTitle}
                name="/title"
                value={value.title}
                onChange={(title) => draft.change({ title })}
                isRequired
                isReadOnly={!canWrite}
              />
              <TextField
                label={words.excerpt}
                hint={words.excerptHint}
                name="/excerpt"
                value={value.excerpt}
                onChange={(excerpt) => draft.change({ excerpt })}
                isReadOnly={!canWrite}
                rows={3}
              />
              {isBuilt ? (
                <Notice
                  title={words.builder}
                  actions={
                    <LinkButton href={paths.inStore(store.id, 'blog', article.id, 'edit')}>
                      {common.openEditor}
                    </LinkButton>
                  }
                >
                  {words.builderHint}
                </Notice>
              ) : (
                <TextField
                  label={words.content}
                  hint={words.contentHint}
                  name="/content"
                  value={value.content}
                  onChange={(content) => draft.change({ content })}
                  isReadOnly={!canWrite}
                  rows={16}
                  isCode
                />
              )}
            </Card>
          }
          side={
            <>
              {article && (
                <Card title={common.status}>
                  <Row>
                    <Badge tone={article.status === 'published' ? 'good' : 'neutral'}>
                      {words.status[article.status]}
                    </Badge>
                    {article.publishedAt && <span>{formats.dateTime(article.publishedAt)}</span>}
                  </Row>
                  {canWrite && (
                    <Row>
                      {(isBuilt || article.status === 'draft') && (
                        <Button isDisabled={draft.isDirty} onPress={() => ask('publish')}>
                          {words.publish}
                        </Button>
                      )}
                      {article.status === 'published' && (
                        <Button onPress={() => ask('unpublish')}>{words.unpublish}</Button>
                      )}
                    </Row>
                  )}
                  {draft.isDirty && article.status === 'draft' && <p>{words.saveFirst}</p>}
                </Card>
              )}
              <Cover
                article={article}
                id={value.coverMediaId}
                onChange={canWrite ? (coverMediaId) => draft.change({ coverMediaId }) : undefined}
              />
              <Card title={words.sorting}>
                {categories.length > 0 ? (
                  <CheckboxGroup
                    label={words.categories}
                    value={value.categoryIds}
                    onChange={(categoryIds) => draft.change({ categoryIds })}
                    isDisabled={!canWrite}
                  >
                    {categories.map((category) => (
                      <Checkbox key={category.id} id={category.id} label={indented(category)} />
                    ))}
                  </CheckboxGroup>
                ) : (
                  <p>{words.noCategories}</p>
                )}
                <TagsField
                  label={words.tags}
                  hint={words.tagsHint}
                  value={value.tags}
                  onChange={(tags) => draft.change({ tags })}
                  isReadOnly={!canWrite}
                />
                <TextField
                  label={words.slug}
                  hint={words.slugHint}
                  name="/slug"
                  value={value.slug}
                  onChange={(slug) => draft.change({ slug })}
                  isReadOnly={!canWrite}
                />
              </Card>
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
          <Row>
            <Button look="primary" type="submit" isPending={save.isPending} isDisabled={!draft.isDirty}>
              {article ? common.save : common.create}
            </Button>
          </Row>
        )}
      </Form>
      <Unsaved isDirty={draft.isDirty} />
      <Conflict
        isOpen={question === 'conflict'}
        onClose={close}
        onKeepMine={() => void submit(null)}
        onTakeTheirs={() => {
          draft.drop();
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

function Cover({
  article,
  id,
  onChange,
}: {
  article: Article | null;
  id: string | null;
  /** Missing: it is only looked at. */
  onChange: ((id: string | null) => void) | undefined;
}) {
  const words = useBlogTexts();
  const store = useStore();
  const [known, learn] = useState<{ id: string; url: string } | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const cover = [known, article?.coverMedia ?? null].find((candidate) => candidate?.id === id);
  const upload = useAct(async ([file]: readonly File[]) => {
    if (!file) return;
    try {
      const media = await uploadFile(store.id, file, { onProgress: setShare });
      learn(media);
      onChange?.(media.id);
    } finally {
      setShare(null);
    }
  });
  return (
    <Card title={words.cover}>
      {cover && <img src={`${cover.url}?w=640`} alt="" className={style.cover} />}
      {onChange && id && (
        <Row>
          <Button size="small" onPress={() => onChange(null)}>
            {words.removeCover}
          </Button>
        </Row>
      )}
      {onChange && store.can('media.write') && (
        <FilePicker
          label={id ? words.replaceCover : words.addCover}
          accept={['image/*']}
          isMultiple={false}
          isDisabled={upload.isPending}
          onFiles={(files) => void upload.run(files)}
        />
      )}
      {share !== null && <Progress label={words.addCover} value={share} />}
    </Card>
  );
}
