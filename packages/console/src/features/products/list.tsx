import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { api } from '../../api/client.ts';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { readTagged } from '../../api/tagged.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { useBulk } from '../../shell/bulk.ts';
import { createChoices, ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Empty, Row, Screen, type Tone } from '../../ui/layout.tsx';
import { ActionMenu, Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { whenIdle } from '../../when-idle.ts';
import { productScreen } from './product-screen.ts';
import style from './products.module.css';
import { type Product, type ProductSearch, productsKey, readProducts } from './queries.ts';
import { useProductTexts } from './texts.ts';

export const statusTones: Readonly<Record<Product['status'], Tone>> = {
  draft: 'neutral',
  active: 'good',
  archived: 'warn',
};

/** Loads on demand, because most visits export nothing. */
const ProductExport = lazy(async () => ({ default: (await import('./export.tsx')).ProductExport }));

const statuses = ['active', 'draft', 'archived'] as const;

export function ProductList() {
  const words = useProductTexts();
  const common = useCommon();
  const store = useStore();
  const search = useSearch<ProductSearch>();
  const list = useList(productsKey(store.id), search, (given, signal) =>
    readProducts(store.id, given, signal),
  );
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isExporting, setExporting] = useState(false);
  const products = list.data?.products ?? [];
  const chosen = products.filter(({ id }) => selected.has(id));
  const canWrite = store.can('products.write');
  const isRead = list.data !== undefined;
  useEffect(() => {
    if (isRead) void whenIdle().then(productScreen.load);
  }, [isRead]);
  const at = (id: string) => paths.inStore(store.id, 'products', id);
  const create = canWrite && (
    <LinkButton look="primary" href={at('new')}>
      {words.new}
    </LinkButton>
  );

  const columns = useColumns();
  return (
    <Screen
      title={words.title}
      actions={
        <>
          <ActionMenu
            label={common.actionsFor({ thing: words.title })}
            actions={[
              { id: 'export', text: words.export, onAction: () => setExporting(true) },
              ...(canWrite ? [{ id: 'import', text: words.import, href: at('import') }] : []),
            ]}
          />
          {create}
        </>
      }
    >
      <ResourceList
        label={words.title}
        list={list}
        items={products}
        columns={columns}
        getHref={({ id }) => at(id)}
        searchPlaceholder={words.searchPlaceholder}
        filters={[
          {
            name: 'status',
            label: common.status,
            any: words.anyStatus,
            choices: createChoices(statuses, words.status),
          },
        ]}
        sort={{ dir: 'asc' }}
        selection={canWrite && { selected, onSelect: setSelected }}
        bulk={
          chosen.length > 0 && (
            <BulkBar storeId={store.id} products={chosen} onDone={(failed) => setSelected(new Set(failed))} />
          )
        }
        empty={
          <Empty title={words.empty} action={create || undefined}>
            {words.emptyHint}
          </Empty>
        }
        summary={words.count}
      />
      {isExporting && (
        <Suspense>
          <ProductExport search={search} onClose={() => setExporting(false)} />
        </Suspense>
      )}
    </Screen>
  );
}

/** The columns of the list. They are kept across renders, because new ones would make the table render all rows again. */
function useColumns(): ColumnOf<Product>[] {
  const words = useProductTexts();
  const common = useCommon();
  return useMemo<ColumnOf<Product>[]>(
    () => [
      {
        id: 'picture',
        title: words.pictures,
        isTitleHidden: true,
        cell: ({ media }) => <Picture url={media[0]?.url} />,
      },
      {
        id: 'name',
        title: words.name,
        sort: 'name',
        isHeader: true,
        cell: ({ name, status }) => (
          <span className={style.name}>
            {name}
            <span className={style.small}>
              <StatusBadge status={status} />
            </span>
          </span>
        ),
      },
      {
        id: 'status',
        title: common.status,
        isWide: true,
        cell: ({ status }) => <StatusBadge status={status} />,
      },
      {
        id: 'number',
        title: words.number,
        sort: 'number',
        isWide: true,
        isEnd: true,
        cell: ({ number }) => number,
      },
      {
        id: 'price',
        title: words.price,
        sort: 'price',
        isEnd: true,
        cell: (product) => <Price product={product} />,
      },
      {
        id: 'stock',
        title: words.stock,
        sort: 'stock',
        isEnd: true,
        isWide: true,
        cell: (product) => <Stock product={product} />,
      },
    ],
    [words, common],
  );
}

function StatusBadge({ status }: { status: Product['status'] }) {
  const words = useProductTexts();
  return <Badge tone={statusTones[status]}>{words.status[status]}</Badge>;
}

/** The price of a product. On narrow screens it also shows the stock. */
function Price({ product }: { product: Product }) {
  const words = useProductTexts();
  const formats = useFormats();
  const store = useStore();
  const { priceCents, variants } = product;
  const price = priceCents === null ? '–' : formats.money(priceCents, store.currency);
  const isVaried = priceCents !== null && variants.some((variant) => variant.priceCents !== priceCents);
  return (
    <>
      {isVaried ? words.from({ price }) : price}
      <span className={style.small}>
        <Stock product={product} isSentence />
      </span>
    </>
  );
}

function Stock({ product, isSentence = false }: { product: Product; isSentence?: boolean }) {
  const words = useProductTexts();
  const formats = useFormats();
  const { totalStock, variants } = product;
  if (variants.length > 0 && totalStock === 0) return <Badge tone="bad">{words.soldOut}</Badge>;
  const count = formats.number(totalStock);
  return isSentence ? words.inStock({ count }) : count;
}

function Picture({ url }: { url: string | undefined }) {
  return (
    <span className={style.thumb}>
      {url && <img src={`${url}?w=320`} alt="" loading="lazy" width="40" height="40" />}
    </span>
  );
}

/** Bulk actions for the selected products. */
function BulkBar({
  storeId,
  products,
  onDone,
}: {
  storeId: string;
  products: readonly Product[];
  /** Receives the ids of the products that could not be changed. */
  onDone(failed: readonly string[]): void;
}) {
  const words = useProductTexts();
  const common = useCommon();
  const [isDeleting, setDeleting] = useState(false);
  const [isTagging, setTagging] = useState(false);
  const bulk = useBulk(products, { invalidates: [productsKey(storeId)], words, onDone });
  const path = (id: string) => ({ params: { path: { storeId, id } } });
  const setStatus = (status: Product['status']) =>
    bulk.run(({ id }) => api.patch('/api/stores/{storeId}/products/{id}', { ...path(id), body: { status } }));
  return (
    <div className={style.bulk}>
      <span role="status">
        {bulk.doneCount === null
          ? common.selected({ count: products.length })
          : words.bulkProgress({ done: bulk.doneCount, total: products.length })}
      </span>
      <Row>
        {statuses.map((status) => (
          <Button key={status} size="small" isDisabled={bulk.isPending} onPress={() => setStatus(status)}>
            {words.setStatus[status]}
          </Button>
        ))}
        <Button size="small" isDisabled={bulk.isPending} onPress={() => setTagging(true)}>
          {words.addTag}
        </Button>
        <Button size="small" look="danger" isDisabled={bulk.isPending} onPress={() => setDeleting(true)}>
          {common.delete}
        </Button>
      </Row>
      <ConfirmDialog
        title={words.deleteTitle({ count: products.length })}
        confirm={common.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => bulk.run(({ id }) => api.delete('/api/stores/{storeId}/products/{id}', path(id)))}
      >
        {words.deleteHint}
      </ConfirmDialog>
      <TagDialog storeId={storeId} bulk={bulk} isOpen={isTagging} onClose={() => setTagging(false)} />
    </div>
  );
}

/** Adds tags to the selected products. */
function TagDialog({
  storeId,
  bulk,
  isOpen,
  onClose,
}: {
  storeId: string;
  bulk: ReturnType<typeof useBulk<Product>>;
  isOpen: boolean;
  onClose(): void;
}) {
  const words = useProductTexts();
  const common = useCommon();
  const [tag, setTag] = useState('');
  const close = () => {
    setTag('');
    onClose();
  };
  const added = tag
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const addTags = () =>
    bulk.run(async ({ id }) => {
      // Adds to the tags as they are now, because the list may be stale and drop somebody else's tag.
      const url = `/api/stores/${storeId}/products/${id}`;
      const { product, etag } = await readTagged<{ product: Product }>(url);
      return api.patch('/api/stores/{storeId}/products/{id}', {
        params: { path: { storeId, id } },
        headers: etag ? { 'if-match': etag } : {},
        body: { tags: [...new Set([...product.tags, ...added])] },
      });
    });
  return (
    <Dialog title={words.addTag} isOpen={isOpen} onClose={close} size="small">
      <Form
        mutation={bulk}
        onSubmit={() => void addTags().then((result) => result?.unchangedIds.length === 0 && close())}
      >
        <TextField
          label={words.tag}
          hint={words.tagsHint}
          value={tag}
          onChange={setTag}
          isRequired
          autoFocus
          maxLength={60}
        />
        <Actions>
          <Button look="primary" type="submit" isPending={bulk.isPending}>
            {common.add}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
