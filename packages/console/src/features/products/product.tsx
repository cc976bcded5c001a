import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useDeferredValue, useMemo, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
import type { FieldValues } from '../../shell/custom-fields/queries.ts';
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
import { TextLink } from '../../ui/button.tsx';
import { Card, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import {
  BasicsCard,
  FactsCard,
  OrganisationCard,
  SearchEnginesCard,
  VisibilityCard,
} from './product-cards.tsx';
import { type Product, type ProductInput, productQuery, productsKey, toInput } from './queries.ts';
import { type Read, saveProduct } from './saving.ts';
import { useProductTexts } from './texts.ts';
import { Translations } from './translations.tsx';
import { withStoredVariantIds } from './variant-ids.ts';
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
  const store = useStore();
  const [isTranslating, setTranslating] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const { product, form } = useProductForm(props, isTranslating);
  const { remove, duplicate } = useProductActions(product, form);
  const { value, canWrite } = form;
  // The lower part of the screen renders after the visible part.
  const isBegun = useDeferredValue(true, false);
  return (
    <Screen
      title={product ? product.name : words.new}
      back={
        <TextLink href={paths.inStore(store.id, 'products')}>
          {common.backTo({ place: words.title })}
        </TextLink>
      }
      actions={
        product && (
          <>
            {product.status === 'active' && <ViewInShop href={`${store.url}products/${product.slug}`} />}
            {canWrite && (
              <ActionMenu
                label={common.actionsFor({ thing: product.name })}
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
              <BasicsCard form={form} isNew={!product} />
              <Variants
                value={value}
                base={form.baseEtag}
                present={product}
                problems={form.mutation.problems}
                change={form.change}
                canWrite={canWrite}
              />
              <Suspense fallback={<PicturesSkeleton />}>
                {isBegun ? (
                  <Pictures product={product} value={value} change={form.change} canWrite={canWrite} />
                ) : (
                  <PicturesSkeleton />
                )}
              </Suspense>
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
              <VisibilityCard form={form} />
              <OrganisationCard form={form} />
              <SearchEnginesCard form={form} />
              {product && <FactsCard product={product} />}
            </>
          }
        />
      </ResourceForm>
      {isBegun && product && store.can('translations.read') && (
        <Translations product={product} onDirty={setTranslating} />
      )}
      <ConfirmDialog
        title={words.deleteTitle({ count: 1 })}
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

/** The product and its form. A new product is created by the first save. */
function useProductForm(props: ResourceProps, isElseDirty: boolean) {
  const words = useProductTexts();
  const store = useStore();
  const queries = useQueryClient();
  const { read, adopt } = useResource(props, productQuery(store.id, props.id));
  const product: Product | null = read?.product ?? null;
  const stored = useMemo(() => (product ? toInput(product) : blank), [product]);
  async function create({ slug, ...rest }: ProductInput) {
    const { product: saved, ...said } = await api.post('/api/stores/{storeId}/products', {
      params: { path: { storeId: store.id } },
      body: { ...rest, ...(slug && { slug }) },
    });
    const read = await queries
      .fetchQuery(productQuery(store.id, saved.id))
      .catch(() => ({ product: saved, etag: null }));
    return { ...read, ...said };
  }
  const form = useResourceForm<ProductInput, Read, Read | null>({
    stored,
    etag: read,
    canWrite: store.can('products.write'),
    isElseDirty,
    save: ({ value, baseEtag, isForced }) =>
      baseEtag ? saveProduct(store.id, baseEtag, value, isForced) : create(value),
    done: product ? words.saved : words.created,
    invalidates: [productsKey(store.id)],
    toKnownRead: ({ product, etag }) =>
      etag ? { queryKey: productQuery(store.id, product.id).queryKey, data: { product, etag } } : null,
    fields: { duplicate_slug: '/slug' },
    adopt: ({ variants, ...rest }, saved, sent) => ({
      ...rest,
      ...(variants && { variants: withStoredVariantIds(variants, sent.variants, saved.product.variants) }),
    }),
    onSaved: (saved) => adopt(saved, saved.product.id, paths.inStore(store.id, 'products', saved.product.id)),
  });
  return { product, form };
}

function useProductActions(product: Product | null, form: ReturnType<typeof useProductForm>['form']) {
  const words = useProductTexts();
  const store = useStore();
  const queries = useQueryClient();
  const path = { storeId: store.id, id: product?.id ?? '' };
  const remove = useRemoval(form, {
    remove: () => api.delete('/api/stores/{storeId}/products/{id}', { params: { path } }),
    done: words.deleted,
    leaveTo: paths.inStore(store.id, 'products'),
    queryKey: productQuery(store.id, path.id).queryKey,
    onRemoved: () => void queries.invalidateQueries({ queryKey: productsKey(store.id), refetchType: 'none' }),
  });
  const duplicate = useMutation(
    () => {
      const { slug: _, variants = [], ...rest } = toInput(product!);
      const copies = variants.map(({ id: __, sku: ___, ...variant }) => variant);
      const body = {
        ...rest,
        name: words.copyOf({ name: rest.name }),
        status: 'draft' as const,
        variants: copies,
      };
      return api.post('/api/stores/{storeId}/products', { params: { path }, body });
    },
    {
      done: words.duplicated,
      invalidates: [productsKey(store.id)],
      // With unsaved changes, the guard asks before it leaves.
      onDone: ({ product: copy }) => navigate(paths.inStore(store.id, 'products', copy.id)),
    },
  );
  return { remove, duplicate };
}

/** Takes the place of the pictures until they are loaded. */
function PicturesSkeleton() {
  const words = useProductTexts();
  return (
    <Card title={words.pictures}>
      <Skeleton lines={3} />
    </Card>
  );
}
