import { useSearch } from '@tanstack/react-router';
import { isWaybillError } from '@waybill/sdk';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { api } from '../../api/client.ts';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { readTagged } from '../../api/tagged.ts';
import { paths } from '../../paths.ts';
import { choicesOf, ResourceList } from '../../shell/resource-list.tsx';
import { explain, useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Empty, Row, Screen, type Tone } from '../../ui/layout.tsx';
import { ActionMenu, Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toasts.tsx';
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
  const formats = useFormats();
  const store = useStore();
  const search = useSearch({ strict: false }) as ProductSearch;
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
    if (isRead) void whenIdle().then(productScreen.preload);
  }, [isRead]);
  const at = (id: string) => paths.inStore(store.id, 'products', id);
  const create = canWrite && (
    <LinkButton look="primary" href={at('new')}>
      {words.new}
    </LinkButton>
  );

  // Kept across renders, because new columns would make the table render all rows again.
  const columns = useMemo<ColumnOf<Product>[]>(() => {
    const statusBadge = (status: Product['status']) => (
      <Badge tone={statusTones[status]}>{words.status[status]}</Badge>
    );
    const priceOf = ({ priceCents, variants }: Product) => {
      if (priceCents === null) return '–';
      const price = formats.money(priceCents, store.currency);
      return variants.some((variant) => variant.priceCents !== priceCents) ? words.from(price) : price;
    };
    const stockOf = ({ totalStock, variants }: Product, say = (count: string) => count) =>
      variants.length > 0 && totalStock === 0 ? (
        <Badge tone="bad">{words.soldOut}</Badge>
      ) : (
        say(formats.number(totalStock))
      );
    return [
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
            <span className={style.small}>{statusBadge(status)}</span>
          </span>
        ),
      },
      {
        id: 'status',
        title: common.status,
        isWide: true,
        cell: ({ status }) => statusBadge(status),
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
        cell: (product) => (
          <>
            {priceOf(product)}
            <span className={style.small}>{stockOf(product, words.inStock)}</span>
          </>
        ),
      },
      {
        id: 'stock',
        title: words.stock,
        sort: 'stock',
        isEnd: true,
        isWide: true,
        cell: (product) => stockOf(product),
      },
    ];
  }, [words, common, formats, store.currency]);

  return (
    <Screen
      title={words.title}
      actions={
        <>
          <ActionMenu
            label={common.actionsFor(words.title)}
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
        hrefOf={({ id }) => at(id)}
        searchPlaceholder={words.searchPlaceholder}
        filters={[
          {
            name: 'status',
            label: common.status,
            any: words.anyStatus,
            choices: choicesOf(statuses, words.status),
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
        summary={(total) => words.count(formats.number(total))}
      />
      {isExporting && (
        <Suspense>
          <ProductExport
            filter={{ ...(search.q && { q: search.q }), ...(search.status && { status: search.status }) }}
            onClose={() => setExporting(false)}
          />
        </Suspense>
      )}
    </Screen>
  );
}

function Picture({ url }: { url: string | undefined }) {
  return (
    <span className={style.thumb}>
      {url && <img src={`${url}?w=320`} alt="" loading="lazy" width="40" height="40" />}
    </span>
  );
}

/** Bulk actions, one request per product, so that one failure does not stop the others. */
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
  const formats = useFormats();
  const [isDeleting, setDeleting] = useState(false);
  const [tag, setTag] = useState<string | null>(null);
  const [done, setDone] = useState<number | null>(null);
  const act = useMutation(
    async (one: (product: Product) => Promise<unknown>) => {
      const left = new Set(products.map(({ id }) => id));
      let why: unknown;
      for (const [position, product] of products.entries()) {
        setDone(position);
        await one(product).then(
          () => left.delete(product.id),
          (error) => {
            why = error;
          },
        );
        // Stops, because each further product would run through its own retries.
        if (isWaybillError(why, 'unreachable')) break;
      }
      setDone(null);
      return { failed: [...left], why };
    },
    {
      invalidates: [productsKey(storeId)],
      onDone({ failed, why }) {
        if (failed.length === 0) toast(words.bulkDone(formats.number(products.length)));
        else toast(`${words.bulkFailed(formats.number(failed.length))}: ${explain(why, common)}`, 'bad');
        onDone(failed);
      },
    },
  );
  const path = (id: string) => ({ params: { path: { storeId, id } } });
  const setStatus = (status: Product['status']) =>
    act.run(({ id }) => api.patch('/api/stores/{storeId}/products/{id}', { ...path(id), body: { status } }));
  const added = (tag ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const addTag = () =>
    act.run(async ({ id }) => {
      // Adds to the tags as they are now, because the list may be stale and drop somebody else's tag.
      const url = `/api/stores/${storeId}/products/${id}`;
      const { product, etag } = await readTagged<{ product: Product }>(url);
      return api.patch('/api/stores/{storeId}/products/{id}', {
        ...path(id),
        headers: etag ? { 'if-match': etag } : {},
        body: { tags: [...new Set([...product.tags, ...added])] },
      });
    });
  return (
    <div className={style.bulk}>
      <span role="status">
        {done === null
          ? common.selected(formats.number(products.length))
          : words.bulkProgress(formats.number(done), formats.number(products.length))}
      </span>
      <Row>
        <Button size="small" isDisabled={act.isPending} onPress={() => setStatus('active')}>
          {words.makeActive}
        </Button>
        <Button size="small" isDisabled={act.isPending} onPress={() => setStatus('draft')}>
          {words.makeDraft}
        </Button>
        <Button size="small" isDisabled={act.isPending} onPress={() => setStatus('archived')}>
          {words.archive}
        </Button>
        <Button size="small" isDisabled={act.isPending} onPress={() => setTag('')}>
          {words.addTag}
        </Button>
        <Button size="small" look="danger" isDisabled={act.isPending} onPress={() => setDeleting(true)}>
          {common.delete}
        </Button>
      </Row>
      <ConfirmDialog
        title={words.deleteTitle(products.length)}
        confirm={common.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => act.run(({ id }) => api.delete('/api/stores/{storeId}/products/{id}', path(id)))}
      >
        {words.deleteHint}
      </ConfirmDialog>
      <Dialog title={words.addTag} isOpen={tag !== null} onClose={() => setTag(null)} size="small">
        <Form
          mutation={act}
          onSubmit={() => void addTag().then((bulk) => bulk?.failed.length === 0 && setTag(null))}
        >
          <TextField
            label={words.tag}
            hint={words.tagsHint}
            value={tag ?? ''}
            onChange={setTag}
            isRequired
            autoFocus
            maxLength={60}
          />
          <Actions>
            <Button look="primary" type="submit" isPending={act.isPending}>
              {common.add}
            </Button>
          </Actions>
        </Form>
      </Dialog>
    </div>
  );
}
