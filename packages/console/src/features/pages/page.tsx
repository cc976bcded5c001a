import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { useParams } from '../../router/router.tsx';
import { readPageSeo, writePageSeo } from '../../shell/page-seo.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { ResourceForm, useRemoval, useResourceForm } from '../../shell/resource-form.tsx';
import { ViewInShop } from '../../shell/view-shop.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { Card, Facts, Screen, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { type PageInput, RevisionsCard, SettingsCard, VisibilityCard } from './page-cards.tsx';
import { type Page, pageQuery, pagesKey, readDraft } from './queries.ts';
import { usePageTexts } from './texts.ts';

/** Loads after the screen, because most stores have no custom fields for pages. */
const CustomFields = lazy(async () => ({
  default: (await import('../../shell/custom-fields/custom-fields.tsx')).CustomFields,
}));

/** The screen of a page: settings, visibility and revisions. */
export function PageScreen() {
  const words = usePageTexts();
  const store = useStore();
  const { pageId } = useParams<'pageId'>();
  if (store.can('pages.read')) return <Stored key={pageId} id={pageId} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
}

const toText = (value: unknown) => (typeof value === 'string' ? value : '');

function toInput({ name, slug, customFields, settings }: Page): PageInput {
  return { customFields, name, slug, ...readPageSeo(settings), lang: toText(settings.lang) };
}

/** Merges the form into the stored settings. Settings that this screen does not know stay unchanged. */
function mergeSettings({ settings }: Page, { lang, ...input }: PageInput) {
  const { lang: _, ...rest } = writePageSeo(settings, input);
  return { ...rest, ...(lang && { lang }) };
}

function Stored({ id }: { id: string }) {
  const words = usePageTexts();
  const common = useCommon();
  const store = useStore();
  const {
    data: { page, etag },
  } = useSuspenseQuery(pageQuery(store.id, id));
  const form = useSettingsForm(page, etag);
  const { makeHomepage, publish, unpublish } = usePageActions(page);
  const remove = usePageRemoval(id, form);
  const [question, setQuestion] = useState<'publish' | 'unpublish' | 'delete' | null>(null);
  const { canWrite } = form;
  const close = () => setQuestion(null);
  return (
    <Screen
      title={page.name}
      back={
        <TextLink href={paths.inStore(store.id, 'pages')}>{common.backTo({ place: words.title })}</TextLink>
      }
      actions={
        <>
          {page.live && page.url && <ViewInShop href={page.url} />}
          {canWrite && (
            <ActionMenu
              label={common.actionsFor({ thing: page.name })}
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
                { id: 'delete', text: words.delete, isDanger: true, onAction: () => setQuestion('delete') },
              ]}
            />
          )}
        </>
      }
    >
      <TwoColumns
        main={
          <>
            <ResourceForm form={form}>
              <SettingsCard page={page} form={form} />
              <Suspense>
                <CustomFields entity="page" {...form.field('customFields')} />
              </Suspense>
            </ResourceForm>
            <RevisionsCard id={id} canWrite={canWrite} />
          </>
        }
        side={
          <>
            <VisibilityCard
              page={page}
              isDirty={form.isDirty}
              onPublish={canWrite ? () => setQuestion('publish') : undefined}
              onUnpublish={() => setQuestion('unpublish')}
            />
            <FactsCard page={page} />
          </>
        }
      />
      <ConfirmDialog
        title={words.publishTitle({ name: page.name })}
        confirm={words.publish}
        isOpen={question === 'publish'}
        onClose={close}
        onConfirm={() => publish.attempt(undefined)}
        isDanger={false}
      >
        {words.publishHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.unpublishTitle({ name: page.name })}
        confirm={words.unpublish}
        isOpen={question === 'unpublish'}
        onClose={close}
        onConfirm={() => unpublish.attempt(undefined)}
      >
        {words.unpublishHint}
      </ConfirmDialog>
      <ConfirmDialog
        title={words.deleteTitle({ name: page.name })}
        confirm={common.delete}
        isOpen={question === 'delete'}
        onClose={close}
        onConfirm={() => remove.attempt()}
      >
        <p>{words.deleteHint}</p>
        {page.isHomepage && <p>{words.deleteHomepageHint}</p>}
      </ConfirmDialog>
    </Screen>
  );
}

function FactsCard({ page }: { page: Page }) {
  const words = usePageTexts();
  const common = useCommon();
  const formats = useFormats();
  return (
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
  );
}

function useSettingsForm(page: Page, etag: string | null) {
  const common = useCommon();
  const store = useStore();
  return useResourceForm({
    stored: toInput(page),
    etag,
    canWrite: store.can('pages.write'),
    async save({ value, headers }) {
      const { findChanges } = await import('../../shell/custom-fields/queries.ts');
      return api.patch('/api/stores/{storeId}/pages/{id}', {
        params: { path: { storeId: store.id, id: page.id } },
        headers,
        body: {
          name: value.name,
          slug: value.slug,
          settings: mergeSettings(page, value),
          customFields: findChanges(page.customFields, value.customFields),
        },
      });
    },
    done: common.saved,
    invalidates: [pagesKey(store.id)],
    fields: { duplicate_slug: '/slug' },
  });
}

function usePageActions(page: Page) {
  const words = usePageTexts();
  const store = useStore();
  const { id } = page;
  const params = { path: { storeId: store.id, id } };
  const invalidates = [pagesKey(store.id)];
  const makeHomepage = useMutation(
    () => api.patch('/api/stores/{storeId}/pages/{id}', { params, body: { isHomepage: true } }),
    { done: words.homepageMade, invalidates },
  );
  const publish = useMutation(
    async () => {
      // Changed settings alone make no draft, and only a draft can be published. The live document is saved again as
      // one.
      if (!page.hasDraft) {
        const pagePath = { storeId: store.id, pageId: id };
        const { document, etag } = await readDraft(store.id, id);
        await api.put('/api/stores/{storeId}/pages/{pageId}/draft', {
          params: { path: pagePath },
          // An editor that is open elsewhere may save at the same time.
          headers: etag ? { 'if-match': etag } : {},
          body: { document },
        });
      }
      return api.post('/api/stores/{storeId}/pages/{id}/publish', { params });
    },
    { done: words.published, invalidates },
  );
  const unpublish = useMutation(() => api.post('/api/stores/{storeId}/pages/{id}/unpublish', { params }), {
    done: words.unpublished,
    invalidates,
  });
  return { makeHomepage, publish, unpublish };
}

function usePageRemoval(id: string, form: ReturnType<typeof useSettingsForm>) {
  const words = usePageTexts();
  const store = useStore();
  const queries = useQueryClient();
  const key = pagesKey(store.id);
  return useRemoval(form, {
    remove: () =>
      api.delete('/api/stores/{storeId}/pages/{id}', { params: { path: { storeId: store.id, id } } }),
    done: words.deleted,
    leaveTo: paths.inStore(store.id, 'pages'),
    queryKey: [...key, id],
    onRemoved: () =>
      void queries.invalidateQueries({ queryKey: key, predicate: ({ queryKey }) => queryKey[3] !== id }),
  });
}
