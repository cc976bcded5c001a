import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
import { changeOf, type FieldValues } from '../../shell/custom-fields/queries.ts';
import { HtmlField } from '../../shell/html-field/html-field.tsx';
import { ImageField } from '../../shell/image-field.tsx';
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
import { useLanguage } from '../../texts/texts.ts';
import { TextLink } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choices.tsx';
import { Card, Facts, Notice, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { blankRule, type DraftRule, ruleOf } from './draft-rule.ts';
import { type Category, categoriesKey, categoryQuery } from './queries.ts';
import { useCategoryTexts } from './texts.ts';

/** Loads after the form, because searching among many categories is rarely needed. */
const CategoryField = lazy(async () => ({
  default: (await import('./category-field.tsx')).CategoryField,
}));
/** Loads after the form, because drag and drop is as large as the rest of the form. */
const Members = lazy(async () => ({ default: (await import('./members.tsx')).Members }));

/** Loads on demand, because most categories have no rule. */
const RuleEditor = lazy(async () => ({ default: (await import('./rule.tsx')).RuleEditor }));

interface CategoryInput {
  name: string;
  slug: string;
  description: string;
  kind: Category['kind'];
  rule: DraftRule;
  sortBy: Category['sort']['by'];
  sortDir: Category['sort']['dir'];
  parentId: string;
  /** Position counted from 1. Null: at the end. */
  position: number | null;
  imageMediaId: string | null;
  seoTitle: string;
  seoDescription: string;
  seoImage: string | null;
  customFields: FieldValues;
}

const blankFor = (parentId: string): CategoryInput => ({
  name: '',
  slug: '',
  description: '',
  kind: 'manual',
  rule: blankRule,
  sortBy: 'manual',
  sortDir: 'asc',
  parentId,
  position: null,
  imageMediaId: null,
  seoTitle: '',
  seoDescription: '',
  seoImage: null,
  customFields: {},
});

const inputOf = ({
  sort,
  seo,
  rule,
  parentId,
  position,
  customFields,
  ...rest
}: Category): CategoryInput => ({
  name: rest.name,
  slug: rest.slug,
  description: rest.description,
  kind: rest.kind,
  rule: rule ?? blankRule,
  sortBy: sort.by,
  sortDir: sort.dir,
  parentId: parentId ?? '',
  position: position + 1,
  imageMediaId: rest.imageMediaId,
  seoTitle: seo.title,
  seoDescription: seo.description,
  seoImage: seo.imageMediaId,
  customFields: customFields as FieldValues,
});

/** Builds the request body of a save. An unchanged position is not sent, because others may have moved the category. */
function bodyOf(value: CategoryInput, base: CategoryInput | null) {
  const isManual = value.kind === 'manual';
  const sortBy = !isManual && value.sortBy === 'manual' ? 'name' : value.sortBy;
  const isPlaced = base === null || base.parentId !== value.parentId;
  const hasPosition = value.position !== null && base?.position !== value.position;
  return {
    name: value.name,
    ...(value.slug && { slug: value.slug }),
    description: value.description,
    ...(isPlaced && { parentId: value.parentId || null }),
    ...(hasPosition && { position: value.position! - 1 }),
    imageMediaId: value.imageMediaId,
    ...(!isManual && { rule: ruleOf(value.rule) }),
    sort: { by: sortBy, dir: value.sortDir },
    seo: { title: value.seoTitle, description: value.seoDescription, imageMediaId: value.seoImage },
    customFields: changeOf(base?.customFields, value.customFields),
  };
}

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
  const formats = useFormats();
  const language = useLanguage();
  const store = useStore();
  const queries = useQueryClient();
  const { parent = '' } = useSearch({ strict: false }) as { parent?: string };
  const [blank] = useState(() => blankFor(parent));
  const { read, adopt } = useResource(props, categoryQuery(store.id, props.id));
  const category = read?.category ?? null;
  const [isDeleting, setDeleting] = useState(false);
  const key = categoriesKey(store.id);
  const list = paths.inStore(store.id, 'categories');
  const path = { storeId: store.id, id: category?.id ?? '' };
  const form = useResourceForm({
    stored: category ? inputOf(category) : blank,
    etag: read?.etag ?? null,
    canWrite: store.can('products.write'),
    async save({ value, base, headers }): Promise<{ category: Category }> {
      if (category)
        return api.patch('/api/stores/{storeId}/categories/{id}', {
          params: { path },
          headers,
          body: bodyOf(value, base),
        });
      const { category: saved } = await api.post('/api/stores/{storeId}/categories', {
        params: { path: { storeId: store.id } },
        body: { ...bodyOf(value, null), kind: value.kind },
      });
      return queries.fetchQuery(categoryQuery(store.id, saved.id)).catch(() => ({ category: saved }));
    },
    done: category ? words.saved : words.created,
    invalidates: [key],
    fields: { duplicate_slug: '/slug', invalid_slug: '/slug', cycle_detected: ['/parentId', words.cycle] },
    onSaved: (saved) => adopt(saved, saved.category.id, `${list}/${saved.category.id}`),
  });
  const { value, canWrite } = form;
  const remove = useRemoval(form, {
    remove: () => api.delete('/api/stores/{storeId}/categories/{id}', { params: { path } }),
    done: words.deleted,
    leaveTo: list,
    queryKey: categoryQuery(store.id, path.id).queryKey,
    onRemoved: () => void queries.invalidateQueries({ queryKey: [...key, 'all'] }),
  });
  const [, ...others] = store.locales ?? [];
  const sorts = (['manual', 'name', 'price', 'created'] as const).filter(
    (by) => by !== 'manual' || value.kind === 'manual',
  );
  const sortBy = value.kind === 'rule' && value.sortBy === 'manual' ? 'name' : value.sortBy;

  return (
    <Screen
      title={category ? category.name : words.new}
      back={<TextLink href={list}>{common.backTo(words.title)}</TextLink>}
      actions={
        category && (
          <>
            <ViewInShop href={`${store.url}categories/${category.slug}`} />
            {(canWrite || others.length > 0) && (
              <ActionMenu
                label={common.actionsFor(category.name)}
                actions={[
                  ...(store.can('translations.read')
                    ? others.map((locale) => ({
                        id: `translate-${locale}`,
                        text: words.translateInto(
                          new Intl.DisplayNames(language, { type: 'language' }).of(locale) ?? locale,
                        ),
                        href: paths.inStore(store.id, 'translations', locale, 'category', category.id),
                      }))
                    : []),
                  ...(canWrite
                    ? [
                        {
                          id: 'delete',
                          text: common.delete,
                          isDanger: true,
                          onAction: () => setDeleting(true),
                        },
                      ]
                    : []),
                ]}
              />
            )}
          </>
        )
      }
    >
      <ResourceForm form={form} bar={<FormSaveBar form={form} isNew={!category} />}>
        <TwoColumns
          main={
            <>
              <Card title={words.basics}>
                <TextField
                  label={common.name}
                  {...form.field('name')}
                  isRequired
                  maxLength={200}
                  autoFocus={!category}
                />
                <HtmlField label={words.description} rows={5} {...form.field('description')} />
              </Card>
              <Card title={words.contents}>
                {category?.truncated && (
                  <Notice tone="warn" title={words.truncated}>
                    {words.truncatedHint}
                  </Notice>
                )}
                {!category && (
                  <RadioGroup
                    label={words.kind}
                    choices={[
                      { id: 'manual', text: words.kinds.manual, detail: words.kindHints.manual },
                      { id: 'rule', text: words.kinds.rule, detail: words.kindHints.rule },
                    ]}
                    value={value.kind}
                    onChange={(kind) =>
                      form.change({ kind, sortBy: kind === 'rule' ? 'name' : 'manual', sortDir: 'asc' })
                    }
                  />
                )}
                {value.kind === 'rule' && (
                  <Suspense fallback={<Skeleton lines={3} />}>
                    <RuleEditor
                      rule={value.rule}
                      onChange={form.field('rule').onChange}
                      ownId={category?.id ?? null}
                      isReadOnly={!canWrite}
                    />
                  </Suspense>
                )}
                {!category && value.kind === 'manual' && <p>{words.chooseLater}</p>}
                <Select
                  label={words.sort}
                  name="/sort/by"
                  choices={sorts.map((by) => ({ id: by, text: words.sorts[by] }))}
                  value={sortBy}
                  onChange={form.field('sortBy').onChange}
                  isReadOnly={!canWrite}
                />
                <Select
                  label={words.direction}
                  choices={(['asc', 'desc'] as const).map((dir) => ({
                    id: dir,
                    text: words.directions[sortBy][dir],
                  }))}
                  {...form.field('sortDir')}
                  name="/sort/dir"
                />
              </Card>
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
              <Card title={words.place}>
                <Suspense fallback={<Skeleton lines={1} />}>
                  <CategoryField
                    label={words.parent}
                    name="/parentId"
                    value={value.parentId}
                    onChange={(parentId) => form.change({ parentId, position: null })}
                    without={category?.id ?? null}
                    isAnyKind
                    none={words.noParent}
                    isReadOnly={!canWrite}
                  />
                </Suspense>
                <NumberField
                  label={words.position}
                  hint={words.positionHint}
                  step={1}
                  minValue={1}
                  {...form.field('position')}
                />
                <TextField label={words.slug} hint={words.slugHint} {...form.field('slug')} />
              </Card>
              <Card title={words.picture}>
                <ImageField label={words.picture} {...form.field('imageMediaId')} />
              </Card>
              <Card title={words.seo}>
                <TextField
                  label={words.seoTitle}
                  hint={words.seoTitleHint}
                  {...form.field('seoTitle')}
                  name="/seo/title"
                  maxLength={200}
                />
                <TextField
                  label={words.seoDescription}
                  hint={words.seoDescriptionHint}
                  rows={3}
                  {...form.field('seoDescription')}
                  name="/seo/description"
                  maxLength={1_000}
                />
                <ImageField label={words.seoImage} {...form.field('seoImage')} name="/seo/imageMediaId" />
              </Card>
              {category && (
                <Card title={words.facts}>
                  <Facts
                    facts={[
                      [words.kind, words.kinds[category.kind]],
                      [words.members, formats.number(category.productsCount)],
                      [common.created, formats.dateTime(category.createdAt)],
                      [common.updated, formats.dateTime(category.updatedAt)],
                      ['ID', <code key="id">{category.id}</code>],
                    ]}
                  />
                </Card>
              )}
            </>
          }
        />
      </ResourceForm>
      <ConfirmDialog
        title={category ? words.deleteTitle(category.name) : ''}
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
