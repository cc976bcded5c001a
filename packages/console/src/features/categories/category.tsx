import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
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
import { useLanguage } from '../../texts/texts.ts';
import { TextLink } from '../../ui/button.tsx';
import { Card, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import {
  BasicsCard,
  ContentsCard,
  FactsCard,
  PictureCard,
  PlaceCard,
  SearchEnginesCard,
} from './category-cards.tsx';
import { blankFor, buildBody, toInput } from './category-input.ts';
import { type Category, categoriesKey, categoryQuery } from './queries.ts';
import { useCategoryTexts } from './texts.ts';

/** Loads after the form, because drag and drop is as large as the rest of the form. */
const Members = lazy(async () => ({ default: (await import('./members.tsx')).Members }));

/** The screen of an existing or new category. */
export const CategoryScreen = () => (
  <ResourceRoute
    param="categoryId"
    title={useCategoryTexts().title}
    toRead="products.read"
    toCreate="products.write"
    form={Editor}
  />
);

function Editor(props: ResourceProps) {
  const words = useCategoryTexts();
  const common = useCommon();
  const store = useStore();
  const queries = useQueryClient();
  const { category, form } = useCategoryForm(props);
  const { canWrite } = form;
  const [isDeleting, setDeleting] = useState(false);
  const list = paths.inStore(store.id, 'categories');
  const id = category?.id ?? '';
  const remove = useRemoval(form, {
    remove: () =>
      api.delete('/api/stores/{storeId}/categories/{id}', { params: { path: { storeId: store.id, id } } }),
    done: words.deleted,
    leaveTo: list,
    queryKey: categoryQuery(store.id, id).queryKey,
    onRemoved: () => void queries.invalidateQueries({ queryKey: [...categoriesKey(store.id), 'all'] }),
  });
  return (
    <Screen
      title={category ? category.name : words.new}
      back={<TextLink href={list}>{common.backTo({ place: words.title })}</TextLink>}
      actions={
        category && (
          <>
            <ViewInShop href={`${store.url}categories/${category.slug}`} />
            <CategoryMenu category={category} canWrite={canWrite} onDelete={() => setDeleting(true)} />
          </>
        )
      }
    >
      <ResourceForm form={form} bar={<FormSaveBar form={form} isNew={!category} />}>
        <TwoColumns
          main={
            <>
              <BasicsCard form={form} category={category} />
              <ContentsCard form={form} category={category} />
              {category?.kind === 'manual' && (
                <Suspense
                  fallback={
                    <Card title={words.members}>
                      <Skeleton lines={3} />
                    </Card>
                  }
                >
                  <Members category={category} canWrite={canWrite} />
                </Suspense>
              )}
              <CustomFields entity="category" {...form.field('customFields')} />
            </>
          }
          side={
            <>
              <PlaceCard form={form} category={category} />
              <PictureCard form={form} />
              <SearchEnginesCard form={form} />
              {category && <FactsCard category={category} />}
            </>
          }
        />
      </ResourceForm>
      <ConfirmDialog
        title={category ? words.deleteTitle({ name: category.name }) : ''}
        confirm={words.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.attempt()}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}

/** The category and its form. A new category is created by the first save. */
function useCategoryForm(props: ResourceProps) {
  const words = useCategoryTexts();
  const store = useStore();
  const queries = useQueryClient();
  const { parent = '' } = useSearch<{ parent?: string }>();
  const [blank] = useState(() => blankFor(parent));
  const { read, adopt } = useResource(props, categoryQuery(store.id, props.id));
  const category = read?.category ?? null;
  const form = useResourceForm({
    stored: category ? toInput(category) : blank,
    etag: read?.etag ?? null,
    canWrite: store.can('products.write'),
    async save({ value, base, headers }): Promise<{ category: Category }> {
      if (category)
        return api.patch('/api/stores/{storeId}/categories/{id}', {
          params: { path: { storeId: store.id, id: category.id } },
          headers,
          body: buildBody(value, base),
        });
      const { category: saved } = await api.post('/api/stores/{storeId}/categories', {
        params: { path: { storeId: store.id } },
        body: { ...buildBody(value, null), kind: value.kind },
      });
      return queries.fetchQuery(categoryQuery(store.id, saved.id)).catch(() => ({ category: saved }));
    },
    done: category ? words.saved : words.created,
    invalidates: [categoriesKey(store.id)],
    fields: { duplicate_slug: '/slug', invalid_slug: '/slug', cycle_detected: ['/parentId', words.cycle] },
    onSaved: (saved) =>
      adopt(saved, saved.category.id, paths.inStore(store.id, 'categories', saved.category.id)),
  });
  return { category, form };
}

/** The actions on a category; nothing for users who may do none of them. */
function CategoryMenu({
  category,
  canWrite,
  onDelete,
}: {
  category: Category;
  canWrite: boolean;
  onDelete(): void;
}) {
  const words = useCategoryTexts();
  const common = useCommon();
  const language = useLanguage();
  const store = useStore();
  const [, ...others] = store.locales ?? [];
  if (!canWrite && others.length === 0) return null;
  return (
    <ActionMenu
      label={common.actionsFor({ thing: category.name })}
      actions={[
        ...(store.can('translations.read')
          ? others.map((locale) => ({
              id: `translate-${locale}`,
              text: words.translateInto({
                language: new Intl.DisplayNames(language, { type: 'language' }).of(locale) ?? locale,
              }),
              href: paths.inStore(store.id, 'translations', locale, 'category', category.id),
            }))
          : []),
        ...(canWrite
          ? [
              {
                id: 'delete',
                text: common.delete,
                isDanger: true,
                onAction: onDelete,
              },
            ]
          : []),
      ]}
    />
  );
}
