import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useStore } from '../../api/me.ts';
import { isPreconditionFailed, useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
import type { FieldValues } from '../../shell/custom-fields/queries.ts';
import { HtmlField } from '../../shell/html-field/html-field.tsx';
import { ImageField } from '../../shell/image-field.tsx';
import { newId, useForgetDeleted, useFormOf, useStored } from '../../shell/made.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { Conflict, Unsaved, useLeaving } from '../../shell/unsaved.tsx';
import { ViewInShop } from '../../shell/view-shop.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choices.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Facts, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useProductFormTexts } from './form-texts.ts';
import { identified } from './identified.ts';
import { inputOf, type Product, type ProductInput, productQuery, productsKey } from './queries.ts';
import { type Read, saveProduct } from './saving.ts';
import { useProductTexts } from './texts.ts';
import { Translations } from './translations.tsx';
import { Variants } from './variants.tsx';

/** What pictures are dragged with is as large as all the rest of the screen: it comes behind it. */
const Pictures = lazy(async () => ({ default: (await import('./pictures.tsx')).Pictures }));

const blank: ProductInput = {
  name: '',
  slug: '',
  description: '',
  status: 'draft',
  tags: [],
  mediaIds: [],
  variants: [{ name: '', sku: null, priceCents: 0, stock: 0 }],
};

/** A product, or the one that is to be. */
export function ProductScreen() {
  const { productId } = useParams({ strict: false }) as { productId: string };
  const store = useStore();
  const words = useProductTexts();
  const { key, continueAs } = useFormOf(productId);
  if (productId === newId && !store.can('products.write'))
    return <NoPermission title={words.new} role={store.role} needed={store.roleFor('products.write')} />;
  return <Editor key={key} id={productId} continueAs={continueAs} />;
}

function Editor({ id, continueAs }: { id: string; continueAs(id: string, path: string): void }) {
  const words = useProductTexts();
  const common = useCommon();
  const form = useProductFormTexts();
  const formats = useFormats();
  const store = useStore();
  const queries = useQueryClient();
  const [made, setMade] = useState<Read | null>(null);
  const read = useStored(id, productQuery(store.id, id)) ?? made;
  const product: Product | null = read?.product ?? null;
  const stored = useMemo(() => (product ? inputOf(product) : blank), [product]);
  const draft = useDraft<ProductInput, Read | null>(stored, read);
  const [isTranslating, setTranslating] = useState(false);
  const [isConflict, setConflict] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const { leave, isLeaving } = useLeaving(draft.isDirty);
  const canWrite = store.can('products.write');
  const { value } = draft;
  const at = (id: string) => paths.inStore(store.id, 'products', id);
  const path = { storeId: store.id, id: product?.id ?? '' };
  const invalidates = [productsKey(store.id)];

  const save = useMutation(
    async (isForced: boolean) => {
      if (draft.baseEtag) return saveProduct(store.id, draft.baseEtag, value, isForced);
      const { slug, ...rest } = value;
      const body = { ...rest, ...(slug && { slug }) };
      const { product: saved, ...said } = await api.post('/api/stores/{storeId}/products', {
        params: { path },
        body,
      });
      const read = await queries
        .fetchQuery(productQuery(store.id, saved.id))
        .catch(() => ({ product: saved }));
      return { ...read, ...said };
    },
    {
      done: product ? words.saved : words.created,
      invalidates,
      fields: { duplicate_slug: '/slug' },
      handles: isPreconditionFailed,
      onDone(saved) {
        draft.markSavedAdopting(({ variants, ...rest }) => ({
          ...rest,
          ...(variants && { variants: identified(variants, value.variants, saved.product.variants) }),
        }));
        if (product) return;
        setMade({ etag: null, ...saved });
        continueAs(saved.product.id, at(saved.product.id));
      },
    },
  );
  const submit = (isForced: boolean) =>
    save.attempt(isForced).catch((error) => {
      if (isPreconditionFailed(error)) setConflict(true);
    });
  const forget = useForgetDeleted(productQuery(store.id, path.id).queryKey);
  const remove = useMutation(() => api.delete('/api/stores/{storeId}/products/{id}', { params: { path } }), {
    done: words.deleted,
    onDone() {
      draft.reset();
      leave(paths.inStore(store.id, 'products'));
      forget();
      void queries.invalidateQueries({ queryKey: productsKey(store.id), refetchType: 'none' });
    },
  });
  const duplicate = useMutation(
    () => {
      const { slug: _, variants = [], ...rest } = inputOf(product!);
      const copies = variants.map(({ id: __, sku: ___, ...variant }) => variant);
      const body = { ...rest, name: words.copyOf(rest.name), status: 'draft' as const, variants: copies };
      return api.post('/api/stores/{storeId}/products', { params: { path }, body });
    },
    { done: words.duplicated, invalidates, onDone: ({ product: copy }) => leave(at(copy.id)) },
  );

  const title = product ? product.name : words.new;
  return (
    <Screen
      title={title}
      back={<TextLink href={paths.inStore(store.id, 'products')}>{common.backTo(words.title)}</TextLink>}
      actions={
        product && (
          <>
            {product.status === 'active' && <ViewInShop href={`${store.url}products/${product.slug}`} />}
            {canWrite && (
              <ActionMenu
                label={common.actionsFor(product.name)}
                actions={[
                  { id: 'duplicate', text: words.duplicate, onAction: () => void duplicate.run(undefined) },
                  { id: 'delete', text: common.delete, isDanger: true, onAction: () => setDeleting(true) },
                ]}
              />
            )}
          </>
        )
      }
    >
      <Form mutation={save} isKept onSubmit={() => void submit(false)}>
        <TwoColumns
          main={
            <>
              <Card title={words.basics}>
                <TextField
                  label={words.name}
                  name="/name"
                  value={value.name}
                  onChange={(name) => draft.change({ name })}
                  isRequired
                  isReadOnly={!canWrite}
                  autoFocus={!product}
                />
                <HtmlField
                  label={words.description}
                  name="/description"
                  rows={6}
                  value={value.description ?? ''}
                  onChange={(description) => draft.change({ description })}
                  isReadOnly={!canWrite}
                />
              </Card>
              <Variants
                value={value}
                base={draft.baseEtag}
                present={product}
                problems={save.problems}
                change={draft.change}
                canWrite={canWrite}
              />
              <Suspense
                fallback={
                  <Card title={words.pictures}>
                    <Skeleton lines={3} />
                  </Card>
                }
              >
                <Pictures product={product} value={value} change={draft.change} canWrite={canWrite} />
              </Suspense>
              <CustomFields
                entity="product"
                value={(value.customFields ?? {}) as FieldValues}
                onChange={(customFields) => draft.change({ customFields })}
                isReadOnly={!canWrite}
              />
            </>
          }
          side={
            <>
              <Card title={words.visibility}>
                <RadioGroup
                  label={common.status}
                  choices={(['active', 'draft', 'archived'] as const).map((id) => ({
                    id,
                    text: words.status[id],
                  }))}
                  value={value.status ?? 'draft'}
                  onChange={(status) => draft.change({ status })}
                  isDisabled={!canWrite}
                />
                <TextField
                  label={words.slug}
                  hint={words.slugHint}
                  name="/slug"
                  value={value.slug ?? ''}
                  onChange={(slug) => draft.change({ slug })}
                  isReadOnly={!canWrite}
                />
                <TagsField
                  label={words.tags}
                  hint={words.tagsHint}
                  value={value.tags ?? []}
                  onChange={(tags) => draft.change({ tags })}
                  isReadOnly={!canWrite}
                />
              </Card>
              <Card title={form.organisation}>
                <TextField
                  label={form.vendor}
                  hint={form.vendorHint}
                  name="/vendor"
                  value={value.vendor ?? ''}
                  onChange={(vendor) => draft.change({ vendor })}
                  maxLength={200}
                  isReadOnly={!canWrite}
                />
                <TextField
                  label={form.taxCategory}
                  hint={form.taxCategoryHint}
                  name="/taxCategory"
                  value={value.taxCategory ?? 'standard'}
                  onChange={(taxCategory) => draft.change({ taxCategory })}
                  maxLength={60}
                  isRequired
                  isReadOnly={!canWrite}
                />
              </Card>
              <Card title={form.seo}>
                <TextField
                  label={form.seoTitle}
                  hint={form.seoTitleHint}
                  name="/seo/title"
                  value={value.seo?.title ?? ''}
                  onChange={(title) => draft.change({ seo: { ...value.seo, title } })}
                  maxLength={200}
                  isReadOnly={!canWrite}
                />
                <TextField
                  label={form.seoDescription}
                  name="/seo/description"
                  rows={3}
                  value={value.seo?.description ?? ''}
                  onChange={(description) => draft.change({ seo: { ...value.seo, description } })}
                  maxLength={1_000}
                  isReadOnly={!canWrite}
                />
                <ImageField
                  label={form.seoImage}
                  name="/seo/imageMediaId"
                  value={value.seo?.imageMediaId ?? null}
                  onChange={(imageMediaId) => draft.change({ seo: { ...value.seo, imageMediaId } })}
                  isReadOnly={!canWrite}
                />
              </Card>
              {product && (
                <Card title={words.facts}>
                  <Facts
                    facts={[
                      [words.number, product.number],
                      [common.created, formats.dateTime(product.createdAt)],
                      [common.updated, formats.dateTime(product.updatedAt)],
                      ['ID', <code key="id">{product.id}</code>],
                    ]}
                  />
                </Card>
              )}
            </>
          }
        />
        {canWrite && (
          <SaveBar
            label={product ? common.save : common.create}
            isPending={save.isPending}
            isDirty={draft.isDirty}
            onDiscard={draft.reset}
          />
        )}
      </Form>
      {product && store.can('translations.read') && (
        <Translations product={product} onDirty={setTranslating} />
      )}
      <Unsaved isDirty={(draft.isDirty || isTranslating) && !isLeaving} />
      <Conflict
        isOpen={isConflict}
        onClose={() => setConflict(false)}
        onKeepMine={() => void submit(true)}
        onTakeTheirs={() => {
          draft.reset();
          void queries.invalidateQueries({ queryKey: productsKey(store.id) });
        }}
      />
      <ConfirmDialog
        title={words.deleteTitle(1)}
        confirm={common.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.attempt(undefined)}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}
