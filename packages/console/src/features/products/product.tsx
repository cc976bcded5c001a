import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useDeferredValue, useMemo, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
import type { FieldValues } from '../../shell/custom-fields/queries.ts';
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
import { TextLink } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choices.tsx';
import { Card, Facts, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useProductFormTexts } from './form-texts.ts';
import { identified } from './identified.ts';
import { inputOf, type Product, type ProductInput, productQuery, productsKey } from './queries.ts';
import { type Read, saveProduct } from './saving.ts';
import { useProductTexts } from './texts.ts';
import { Translations } from './translations.tsx';
import { Variants } from './variants.tsx';

/** Loads after the screen, because drag and drop is as large as the rest of it. */
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

/** The screen of an existing or new product. */
export const ProductScreen = () => (
  <ResourceRoute param="productId" title={useProductTexts().new} toCreate="products.write" form={Editor} />
);

function Editor(props: ResourceProps) {
  const words = useProductTexts();
  const common = useCommon();
  const texts = useProductFormTexts();
  const formats = useFormats();
  const store = useStore();
  const queries = useQueryClient();
  const { read, adopt } = useResource(props, productQuery(store.id, props.id));
  const product: Product | null = read?.product ?? null;
  const stored = useMemo(() => (product ? inputOf(product) : blank), [product]);
  const [isTranslating, setTranslating] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const list = paths.inStore(store.id, 'products');
  const path = { storeId: store.id, id: product?.id ?? '' };
  const invalidates = [productsKey(store.id)];
  const form = useResourceForm<ProductInput, Read, Read | null>({
    stored,
    etag: read,
    canWrite: store.can('products.write'),
    isElseDirty: isTranslating,
    async save({ value, baseEtag, isForced }) {
      if (baseEtag) return saveProduct(store.id, baseEtag, value, isForced);
      const { slug, ...rest } = value;
      const body = { ...rest, ...(slug && { slug }) };
      const { product: saved, ...said } = await api.post('/api/stores/{storeId}/products', {
        params: { path },
        body,
      });
      const read = await queries
        .fetchQuery(productQuery(store.id, saved.id))
        .catch(() => ({ product: saved, etag: null }));
      return { ...read, ...said };
    },
    done: product ? words.saved : words.created,
    invalidates,
    readOf: ({ product, etag }) =>
      etag ? { queryKey: productQuery(store.id, product.id).queryKey, data: { product, etag } } : null,
    fields: { duplicate_slug: '/slug' },
    adopt: ({ variants, ...rest }, saved, sent) => ({
      ...rest,
      ...(variants && { variants: identified(variants, sent.variants, saved.product.variants) }),
    }),
    onSaved: (saved) => adopt(saved, saved.product.id, `${list}/${saved.product.id}`),
  });
  const { value, canWrite } = form;
  const remove = useRemoval(form, {
    remove: () => api.delete('/api/stores/{storeId}/products/{id}', { params: { path } }),
    done: words.deleted,
    leaveTo: list,
    queryKey: productQuery(store.id, path.id).queryKey,
    onRemoved: () => void queries.invalidateQueries({ queryKey: productsKey(store.id), refetchType: 'none' }),
  });
  const duplicate = useMutation(
    () => {
      const { slug: _, variants = [], ...rest } = inputOf(product!);
      const copies = variants.map(({ id: __, sku: ___, ...variant }) => variant);
      const body = { ...rest, name: words.copyOf(rest.name), status: 'draft' as const, variants: copies };
      return api.post('/api/stores/{storeId}/products', { params: { path }, body });
    },
    { done: words.duplicated, invalidates, onDone: ({ product: copy }) => form.leave(`${list}/${copy.id}`) },
  );

  // The lower part of the screen renders after the visible part.
  const isBegun = useDeferredValue(true, false);
  const picturesLater = (
    <Card title={words.pictures}>
      <Skeleton lines={3} />
    </Card>
  );
  const seo = form.within('seo');
  const title = product ? product.name : words.new;
  return (
    <Screen
      title={title}
      back={<TextLink href={list}>{common.backTo(words.title)}</TextLink>}
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
      <ResourceForm form={form} bar={<FormSaveBar form={form} isNew={!product} />}>
        <TwoColumns
          main={
            <>
              <Card title={words.basics}>
                <TextField label={words.name} {...form.field('name')} isRequired autoFocus={!product} />
                <HtmlField label={words.description} rows={6} {...form.field('description', '')} />
              </Card>
              <Variants
                value={value}
                base={form.baseEtag}
                present={product}
                problems={form.mutation.problems}
                change={form.change}
                canWrite={canWrite}
              />
              {isBegun ? (
                <Suspense fallback={picturesLater}>
                  <Pictures product={product} value={value} change={form.change} canWrite={canWrite} />
                </Suspense>
              ) : (
                picturesLater
              )}
              <CustomFields
                entity="product"
                value={(value.customFields ?? {}) as FieldValues}
                onChange={(customFields) => form.change({ customFields })}
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
                  {...form.field('status', 'draft')}
                />
                <TextField label={words.slug} hint={words.slugHint} {...form.field('slug', '')} />
                <TagsField label={words.tags} hint={words.tagsHint} {...form.field('tags', [])} />
              </Card>
              <Card title={texts.organisation}>
                <TextField
                  label={texts.vendor}
                  hint={texts.vendorHint}
                  {...form.field('vendor', '')}
                  maxLength={200}
                />
                <TextField
                  label={texts.taxCategory}
                  hint={texts.taxCategoryHint}
                  {...form.field('taxCategory', 'standard')}
                  maxLength={60}
                  isRequired
                />
              </Card>
              <Card title={texts.seo}>
                <TextField
                  label={texts.seoTitle}
                  hint={texts.seoTitleHint}
                  {...seo.field('title', '')}
                  maxLength={200}
                />
                <TextField
                  label={texts.seoDescription}
                  rows={3}
                  {...seo.field('description', '')}
                  maxLength={1_000}
                />
                <ImageField label={texts.seoImage} {...seo.field('imageMediaId', null)} />
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
      </ResourceForm>
      {isBegun && product && store.can('translations.read') && (
        <Translations product={product} onDirty={setTranslating} />
      )}
      <ConfirmDialog
        title={words.deleteTitle(1)}
        confirm={common.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.attempt()}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}
