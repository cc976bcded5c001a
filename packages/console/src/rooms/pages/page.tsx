import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isPreconditionFailed, useAct } from '../../api/act.ts';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { Conflict, Unsaved, useLeaving } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { History } from '../../ui/history.tsx';
import { Badge, Card, Facts, Row, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { State } from './list.tsx';
import { type Page, pageQuery, pagesKey, readDraft, revisionsQuery } from './queries.ts';
import { usePageTexts } from './texts.ts';

/** One page: its settings, what visitors see of it, and what it has been. */
export function PageScreen() {
  const words = usePageTexts();
  const store = useStore();
  const { pageId } = useParams({ strict: false }) as { pageId: string };
  if (store.can('pages.read')) return <Stored key={pageId} id={pageId} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
}

/** What is set here: the settings that live pages use, each as text. */
interface Input {
  name: string;
  slug: string;
  title: string;
  description: string;
  lang: string;
  noindex: boolean;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function inputOf({ name, slug, settings: { title, description, lang, noindex } }: Page): Input {
  return {
    ...{ name, slug, noindex: noindex === true },
    ...{ title: textOf(title), description: textOf(description), lang: textOf(lang) },
  };
}

/** The settings as they are written: those that this screen does not know stay as they are. */
function settingsOf({ settings }: Page, { title, description, lang, noindex }: Input) {
  const { title: _, description: __, lang: ___, noindex: ____, ...rest } = settings;
  return {
    ...rest,
    ...(title && { title }),
    ...(description && { description }),
    ...(lang && { lang }),
    ...(noindex && { noindex }),
  };
}

function Stored({ id }: { id: string }) {
  const words = usePageTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const queries = useQueryClient();
  const {
    data: { page, etag },
  } = useSuspenseQuery(pageQuery(store.id, id));
  const draft = useDraft(inputOf(page), etag);
  const [question, ask] = useState<'publish' | 'unpublish' | 'delete' | 'conflict' | null>(null);
  const { leave } = useLeaving(draft.isDirty);
  const { value } = draft;
  const canWrite = store.can('pages.write');
  const key = pagesKey(store.id);
  const params = { path: { storeId: store.id, id } };
  const touches = [key];
  const close = () => ask(null);

  const save = useAct(
    (condition: string | null) =>
      api.patch('/api/stores/{storeId}/pages/{id}', {
        params,
        headers: condition ? { 'if-match': condition } : {},
        body: { name: value.name, slug: value.slug, settings: settingsOf(page, value) },
      }),
    {
      ...{ done: common.saved, touches, handles: isPreconditionFailed, onDone: () => draft.settle() },
      fields: { duplicate_slug: '/slug' },
    },
  );
  const submit = (condition: string | null) =>
    save.attempt(condition).catch((error) => {
      if (isPreconditionFailed(error)) ask('conflict');
    });
  const makeHomepage = useAct(
    () => api.patch('/api/stores/{storeId}/pages/{id}', { params, body: { isHomepage: true } }),
    { done: words.homepageMade, touches },
  );
  const publish = useAct(
    async () => {
      // Settings alone make no draft, and nothing but a draft is published: what is live is saved once more.
      if (!page.hasDraft) {
        const pagePath = { storeId: store.id, pageId: id };
        const { document } = await readDraft(store.id, id);
        await api.put('/api/stores/{storeId}/pages/{pageId}/draft', {
          params: { path: pagePath },
          body: { document },
        });
      }
      return api.post('/api/stores/{storeId}/pages/{id}/publish', { params });
    },
    { done: words.published, touches },
  );
  const unpublish = useAct(() => api.post('/api/stores/{storeId}/pages/{id}/unpublish', { params }), {
    done: words.unpublished,
    touches,
  });
  const remove = useAct(() => api.delete('/api/stores/{storeId}/pages/{id}', { params }), {
    done: words.deleted,
    onDone() {
      draft.drop();
      leave(paths.inStore(store.id, 'pages'));
      void queries.invalidateQueries({ queryKey: key, predicate: ({ queryKey }) => queryKey[3] !== id });
    },
  });

  return (
    <Screen
      title={page.name}
      back={<TextLink href={paths.inStore(store.id, 'pages')}>{common.backTo(words.title)}</TextLink>}
      actions={
        canWrite && (
          <ActionMenu
            label={common.actionsFor(page.name)}
            actions={[
              ...(page.isHomepage
                ? []
                : [
                    {
                      id: 'homepage',
                      text: words.makeHomepage,
                      onAction: () => void makeHomepage.run(undefined),
                    },
                  ]),
              { id: 'delete', text: words.delete, isDanger: true, onAction: () => ask('delete') },
            ]}
          />
        )
      }
    >
      <TwoColumns
        main={
          <>
            <Form problems={save.problems} onSubmit={() => void submit(draft.basis)}>
              <Card title={words.basics}>
                <TextField
                  label={common.name}
                  name="/name"
                  value={value.name}
                  onChange={(name) => draft.change({ name })}
                  isRequired
                  isReadOnly={!canWrite}
                  maxLength={200}
                />
                <TextField
                  label={words.slug}
                  hint={page.isHomepage ? words.slugOfHomepage : undefined}
                  name="/slug"
                  value={value.slug}
                  onChange={(slug) => draft.change({ slug })}
                  isRequired
                  isReadOnly={!canWrite}
                />
              </Card>
              <Card title={words.seo}>
                <p>{words.liveSettings}</p>
                <TextField
                  label={words.seoTitle}
                  hint={words.seoTitleHint}
                  name="/settings/title"
                  value={value.title}
                  onChange={(title) => draft.change({ title })}
                  isReadOnly={!canWrite}
                />
                <TextField
                  label={words.seoDescription}
                  hint={words.seoDescriptionHint}
                  name="/settings/description"
                  value={value.description}
                  onChange={(description) => draft.change({ description })}
                  isReadOnly={!canWrite}
                  rows={3}
                />
                <TextField
                  label={words.language}
                  hint={words.languageHint}
                  name="/settings/lang"
                  value={value.lang}
                  onChange={(lang) => draft.change({ lang })}
                  isReadOnly={!canWrite}
                />
                <Switch
                  label={words.noindex}
                  value={value.noindex}
                  onChange={(noindex) => draft.change({ noindex })}
                  isDisabled={!canWrite}
                />
              </Card>
              {canWrite && (
                <Row>
                  <Button look="primary" type="submit" isPending={save.isPending} isDisabled={!draft.isDirty}>
                    {common.save}
                  </Button>
                </Row>
              )}
            </Form>
            <Revisions id={id} canWrite={canWrite} />
          </>
        }
        side={
          <>
            <Card title={words.state}>
              <State page={page} />
              {!page.live && !page.hasDraft && <p>{words.nothingSaved}</p>}
              <LinkButton href={paths.inStore(store.id, 'pages', id, 'edit')}>{common.openEditor}</LinkButton>
              <LinkButton href={paths.inStore(store.id, 'pages', id, 'preview')}>{words.preview}</LinkButton>
              {page.url && (
                <LinkButton href={page.url} target="_blank" rel="noreferrer">
                  {words.view}
                </LinkButton>
              )}
              {canWrite && (
                <Row>
                  {(page.hasDraft || page.live) && (
                    <Button
                      look={page.hasDraft ? 'primary' : 'secondary'}
                      isDisabled={draft.isDirty}
                      onPress={() => ask('publish')}
                    >
                      {page.hasDraft ? words.publish : words.publishAgain}
                    </Button>
                  )}
                  {page.live && <Button onPress={() => ask('unpublish')}>{words.unpublish}</Button>}
                </Row>
              )}
            </Card>
            <Card title={words.facts}>
              <Facts
                facts={[
                  [words.publishedAt, page.publishedAt && formats.dateTime(page.publishedAt)],
                  [common.created, formats.dateTime(page.createdAt)],
                  [common.updated, formats.dateTime(page.updatedAt)],
                  ['ID', <code key="id">{page.id}</code>],
                ]}
              />
            </Card>
          </>
        }
      />
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
        title={words.publishTitle(page.name)}
        confirm={words.publish}
        isOpen={question === 'publish'}
        onClose={close}
        onConfirm={() => publish.attempt(undefined)}
        isDanger={false}
      >
        {words.publishHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.unpublishTitle(page.name)}
        confirm={words.unpublish}
        isOpen={question === 'unpublish'}
        onClose={close}
        onConfirm={() => unpublish.attempt(undefined)}
      >
        {words.unpublishHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.deleteTitle(page.name)}
        confirm={common.delete}
        isOpen={question === 'delete'}
        onClose={close}
        onConfirm={() => remove.attempt(undefined)}
      >
        <p>{words.deleteHint}</p>
        {page.isHomepage && <p>{words.deleteHomepageHint}</p>}
      </ConfirmDialog>
    </Screen>
  );
}

function Revisions({ id, canWrite }: { id: string; canWrite: boolean }) {
  const words = usePageTexts();
  const formats = useFormats();
  const store = useStore();
  const { data, error, refetch } = useQuery(revisionsQuery(store.id, id));
  const [restored, ask] = useState<{ id: string; at: string } | null>(null);
  const restore = useAct(
    (revisionId: string) =>
      api.post('/api/stores/{storeId}/pages/{pageId}/revisions/{revisionId}/restore', {
        params: { path: { storeId: store.id, pageId: id, revisionId } },
      }),
    { done: words.restored, touches: [pagesKey(store.id)] },
  );
  return (
    <Card title={words.history}>
      <p>{words.historyHint}</p>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data?.revisions.length === 0 && <p>{words.historyEmpty}</p>}
      <History
        states={(data?.revisions ?? []).map(
          ({ id: revisionId, kind, createdAt, userName, nodes }, position) => {
            const at = formats.dateTime(createdAt);
            return {
              id: revisionId,
              kind: <Badge tone={kind === 'published' ? 'good' : 'neutral'}>{words.kinds[kind]}</Badge>,
              title: `${at} ${userName ? words.by(userName) : ''}`,
              detail: words.elements(formats.number(nodes)),
              look: {
                text: words.look,
                label: words.lookLabel(at),
                href:
                  paths.inStore(store.id, 'pages', id, 'preview') +
                  (position > 0 ? `?revision=${revisionId}` : ''),
              },
              back:
                canWrite && position > 0
                  ? {
                      text: words.restore,
                      label: words.restoreLabel(at),
                      onPress: () => ask({ id: revisionId, at }),
                    }
                  : undefined,
            };
          },
        )}
      />
      <ConfirmDialog
        title={words.restoreTitle}
        confirm={words.restore}
        isOpen={restored !== null}
        onClose={() => ask(null)}
        onConfirm={() => restore.attempt(restored!.id)}
        isDanger={false}
      >
        {restored && words.restoreHint(restored.at)}
      </ConfirmDialog>
    </Card>
  );
}
