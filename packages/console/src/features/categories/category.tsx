import { useQueryClient } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useStore } from '../../api/me.ts';
import { isPreconditionFailed, useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
import { changeOf, type FieldValues } from '../../shell/custom-fields/queries.ts';
import { HtmlField } from '../../shell/html-field/html-field.tsx';
import { ImageField } from '../../shell/image-field.tsx';
import { newId, useForgetDeleted, useFormOf, useStored } from '../../shell/made.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { Conflict, Unsaved, useLeaving } from '../../shell/unsaved.tsx';
import { ViewInShop } from '../../shell/view-shop.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { useLanguage } from '../../texts/texts.ts';
import { TextLink } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choices.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Facts, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { CategoryField } from './category-field.tsx';
import { blankRule, type DraftRule, ruleOf } from './draft-rule.ts';
import { type Category, categoriesKey, categoryQuery } from './queries.ts';
import { useCategoryTexts } from './texts.ts';

/** A list that is dragged is as large as the rest of the form: it comes behind it. */
const Members = lazy(async () => ({ default: (await import('./members.tsx')).Members }));

/** Most categories have no rule. */
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
  /** As people count; null: at the end. */
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

/** The body that creates or changes a category. A place that nobody typed over is not sent: others may have moved it. */
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

/** A category, or the one that is to be. */
export function CategoryScreen() {
  const words = useCategoryTexts();
  const store = useStore();
  const { categoryId } = useParams({ strict: false }) as { categoryId: string };
  const { key, continueAs } = useFormOf(categoryId);
  const needed = categoryId === newId ? 'products.write' : 'products.read';
  if (!store.can(needed))
    return <NoPermission title={words.title} role={store.role} needed={store.roleFor(needed)} />;
  return <Editor key={key} id={categoryId} continueAs={continueAs} />;
}

type Read = { category: Category; etag: string | null };

function Editor({ id, continueAs }: { id: string; continueAs(id: string, path: string): void }) {
  const words = useCategoryTexts();
  const common = useCommon();
  const formats = useFormats();
  const language = useLanguage();
  const store = useStore();
  const queries = useQueryClient();
  const { parent = '' } = useSearch({ strict: false }) as { parent?: string };
  const [blank] = useState(() => blankFor(parent));
  const [made, setMade] = useState<Read | null>(null);
  const read = useStored<Read, readonly unknown[]>(id, categoryQuery(store.id, id) as never) ?? made;
  const category = read?.category ?? null;
  const draft = useDraft<CategoryInput, string | null>(
    category ? inputOf(category) : blank,
    read?.etag ?? null,
  );
  const [isConflict, setConflict] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const { leave, isLeaving } = useLeaving(draft.isDirty);
  const canWrite = store.can('products.write');
  const isReadOnly = !canWrite;
  const { value } = draft;
  const key = categoriesKey(store.id);
  const at = (categoryId: string) => paths.inStore(store.id, 'categories', categoryId);
  const path = { storeId: store.id, id: category?.id ?? '' };

  const save = useMutation(
    async (condition: string | null): Promise<Read> => {
      if (category) {
        const { category: saved } = await api.patch('/api/stores/{storeId}/categories/{id}', {
          params: { path },
          headers: condition ? { 'if-match': condition } : {},
          body: bodyOf(value, draft.base),
        });
        return { category: saved, etag: null };
      }
      const { category: saved } = await api.post('/api/stores/{storeId}/categories', {
        params: { path: { storeId: store.id } },
        body: { ...bodyOf(value, null), kind: value.kind },
      });
      return queries
        .fetchQuery(categoryQuery(store.id, saved.id))
        .catch(() => ({ category: saved, etag: null }));
    },
    {
      done: category ? words.saved : words.created,
      invalidates: [key],
      fields: { duplicate_slug: '/slug', invalid_slug: '/slug', cycle_detected: ['/parentId', words.cycle] },
      handles: isPreconditionFailed,
      onDone(saved) {
        draft.markSaved();
        if (category) return;
        setMade(saved);
        continueAs(saved.category.id, at(saved.category.id));
      },
    },
  );
  const submit = (condition: string | null) =>
    save.attempt(condition).catch((error) => {
      if (isPreconditionFailed(error)) setConflict(true);
    });
  const forget = useForgetDeleted(categoryQuery(store.id, path.id).queryKey);
  const remove = useMutation(
    () => api.delete('/api/stores/{storeId}/categories/{id}', { params: { path } }),
    {
      done: words.deleted,
      onDone() {
        draft.reset();
        leave(paths.inStore(store.id, 'categories'));
        forget();
        void queries.invalidateQueries({ queryKey: [...key, 'all'] });
      },
    },
  );
  const [, ...others] = store.locales ?? [];
  const sorts = (['manual', 'name', 'price', 'created'] as const).filter(
    (by) => by !== 'manual' || value.kind === 'manual',
  );
  const sortBy = value.kind === 'rule' && value.sortBy === 'manual' ? 'name' : value.sortBy;

  return (
    <Screen
      title={category ? category.name : words.new}
      back={<TextLink href={paths.inStore(store.id, 'categories')}>{common.backTo(words.title)}</TextLink>}
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
      <Form mutation={save} isKept onSubmit={() => void submit(draft.baseEtag)}>
        <TwoColumns
          main={
            <>
              <Card title={words.basics}>
                <TextField
                  label={common.name}
                  name="/name"
                  value={value.name}
                  onChange={(name) => draft.change({ name })}
                  isRequired
                  maxLength={200}
                  isReadOnly={isReadOnly}
                  autoFocus={!category}
                />
                <HtmlField
                  label={words.description}
                  name="/description"
                  rows={5}
                  value={value.description}
                  onChange={(description) => draft.change({ description })}
                  isReadOnly={isReadOnly}
                />
              </Card>
              <Card title={words.contents}>
                {!category && (
                  <RadioGroup
                    label={words.kind}
                    choices={[
                      { id: 'manual', text: words.kinds.manual, detail: words.kindHints.manual },
                      { id: 'rule', text: words.kinds.rule, detail: words.kindHints.rule },
                    ]}
                    value={value.kind}
                    onChange={(kind) =>
                      draft.change({ kind, sortBy: kind === 'rule' ? 'name' : 'manual', sortDir: 'asc' })
                    }
                  />
                )}
                {value.kind === 'rule' && (
                  <Suspense fallback={<Skeleton lines={3} />}>
                    {' '}
                    <RuleEditor
                      rule={value.rule}
                      onChange={(rule) => draft.change({ rule })}
                      ownId={category?.id ?? null}
                      isReadOnly={isReadOnly}
                    />
                  </Suspense>
                )}
                {!category && value.kind === 'manual' && <p>{words.chooseLater}</p>}
                <Select
                  label={words.sort}
                  name="/sort/by"
                  choices={sorts.map((by) => ({ id: by, text: words.sorts[by] }))}
                  value={sortBy}
                  onChange={(by) => draft.change({ sortBy: by })}
                  isDisabled={isReadOnly}
                />
                <Select
                  label={words.direction}
                  name="/sort/dir"
                  choices={(['asc', 'desc'] as const).map((dir) => ({
                    id: dir,
                    text: words.directions[sortBy][dir],
                  }))}
                  value={value.sortDir}
                  onChange={(sortDir) => draft.change({ sortDir })}
                  isDisabled={isReadOnly}
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
              <CustomFields
                entity="category"
                value={value.customFields}
                onChange={(customFields) => draft.change({ customFields })}
                isReadOnly={isReadOnly}
              />
            </>
          }
          side={
            <>
              <Card title={words.place}>
                <CategoryField
                  label={words.parent}
                  name="/parentId"
                  value={value.parentId}
                  onChange={(parentId) => draft.change({ parentId, position: null })}
                  without={category?.id ?? null}
                  isAnyKind
                  none={words.noParent}
                  isReadOnly={isReadOnly}
                />
                <NumberField
                  label={words.position}
                  hint={words.positionHint}
                  name="/position"
                  step={1}
                  minValue={1}
                  value={value.position}
                  onChange={(position) => draft.change({ position })}
                  isDisabled={isReadOnly}
                />
                <TextField
                  label={words.slug}
                  hint={words.slugHint}
                  name="/slug"
                  value={value.slug}
                  onChange={(slug) => draft.change({ slug })}
                  isReadOnly={isReadOnly}
                />
              </Card>
              <Card title={words.picture}>
                <ImageField
                  label={words.picture}
                  name="/imageMediaId"
                  value={value.imageMediaId}
                  onChange={(imageMediaId) => draft.change({ imageMediaId })}
                  isReadOnly={isReadOnly}
                />
              </Card>
              <Card title={words.seo}>
                <TextField
                  label={words.seoTitle}
                  hint={words.seoTitleHint}
                  name="/seo/title"
                  value={value.seoTitle}
                  onChange={(seoTitle) => draft.change({ seoTitle })}
                  maxLength={200}
                  isReadOnly={isReadOnly}
                />
                <TextField
                  label={words.seoDescription}
                  hint={words.seoDescriptionHint}
                  name="/seo/description"
                  rows={3}
                  value={value.seoDescription}
                  onChange={(seoDescription) => draft.change({ seoDescription })}
                  maxLength={1_000}
                  isReadOnly={isReadOnly}
                />
                <ImageField
                  label={words.seoImage}
                  name="/seo/imageMediaId"
                  value={value.seoImage}
                  onChange={(seoImage) => draft.change({ seoImage })}
                  isReadOnly={isReadOnly}
                />
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
        {canWrite && (
          <SaveBar
            label={category ? common.save : common.create}
            isPending={save.isPending}
            isDirty={draft.isDirty}
            onDiscard={draft.reset}
          />
        )}
      </Form>
      <Unsaved isDirty={draft.isDirty && !isLeaving} />
      <Conflict
        isOpen={isConflict}
        onClose={() => setConflict(false)}
        onKeepMine={() => void submit(null)}
        onTakeTheirs={() => {
          draft.reset();
          void queries.invalidateQueries({ queryKey: key });
        }}
      />
      <ConfirmDialog
        title={category ? words.deleteTitle(category.name) : ''}
        confirm={words.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.attempt(undefined)}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}
